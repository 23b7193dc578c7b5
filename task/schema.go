package task

import (
	"math"
	"time"
)

// The most that a task may ask for. They are far above any machine and keep sums from overflowing.
const (
	maxCPUs      = 1024
	maxGPUs      = 1024
	maxMebibytes = 1 << 26 // 64 TiB
	maxRetries   = 100_000
)

func rootFields(c *Config) fields {
	var version, older Opt[string]
	return fields{
		keys: []key{
			{name: "schema_version", rule: opt(&version, text())},
			{name: "version", rule: opt(&older, text())},
			{name: "source", rule: set(&c.Source, text())},
			{name: "task", rule: inner(infoFields(&c.Task))},
			{name: "metadata", rule: metadata(c)},
			{name: "agent", rule: inner(agentFields(&c.Agent))},
			{name: "verifier", rule: inner(verifierFields(&c.Verifier))},
			{name: "environment", rule: inner(environmentFields(&c.Environment))},
			{name: "solution", rule: inner(solutionFields(&c.Solution))},
			{name: "steps", rule: rows(&c.Steps, Step{}, stepFields)},
			{name: "artifacts", rule: set(&c.Artifacts, list(artifact()))},
			{name: "multi_step_reward_strategy", rule: opt(&c.MultiStepReward, oneOf(RewardMean, RewardFinal))},
		},
		check: func(r *reader, n *node) {
			r.schema(n, c, version, older)
			r.stepNames(n)
			r.strayStrategy(n, c)
		},
	}
}

func infoFields(i *Info) fields {
	return fields{keys: []key{
		need("name", set(&i.Name, taskName())),
		{name: "version", rule: opt(&i.Version, filled())},
		{name: "description", rule: set(&i.Description, text())},
		{name: "authors", rule: rows(&i.Authors, Author{}, authorFields)},
		{name: "keywords", rule: set(&i.Keywords, list(text()))},
	}}
}

func authorFields(a *Author) fields {
	return fields{keys: []key{
		need("name", set(&a.Name, text())),
		{name: "email", rule: set(&a.Email, text())},
	}}
}

func agentFields(a *Agent) fields {
	return fields{
		keys: []key{
			{name: "timeout_sec", rule: opt(&a.Timeout, seconds())},
			{name: "user", rule: opt(&a.User, user())},
			{name: "network_mode", rule: networkMode(&a.Network)},
			{name: "allowed_hosts", rule: set(&a.Network.AllowedHosts, list(host()))},
		},
		check: func(r *reader, n *node) { r.hostsNeedList(n, a.Network) },
	}
}

func verifierFields(v *Verifier) fields {
	return fields{
		keys: []key{
			{name: "timeout_sec", rule: opt(&v.Timeout, seconds())},
			{name: "env", rule: set(&v.Env, environ())},
			{name: "user", rule: opt(&v.User, user())},
			{name: "environment_mode", rule: opt(&v.Mode, oneOf(Shared, Separate))},
			{name: "environment", rule: maybe(&v.Environment, Environment{OS: Linux}, environmentFields)},
			{name: "network_mode", rule: networkMode(&v.Network)},
			{name: "allowed_hosts", rule: set(&v.Network.AllowedHosts, list(host()))},
			{name: "collect", rule: rows(&v.Collect, Collect{Service: "main", Timeout: DefaultCollectTimeout}, collectFields)},
			{name: "continuous", rule: ignored("only one variant of Harbor reads it")},
		},
		check: func(r *reader, n *node) {
			r.hostsNeedList(n, v.Network)
			r.sharedHasNoEnvironment(n, v)
		},
	}
}

func collectFields(c *Collect) fields {
	return fields{keys: []key{
		need("command", set(&c.Command, filled())),
		{name: "service", rule: set(&c.Service, trimmed(word()))},
		{name: "timeout_sec", rule: set(&c.Timeout, seconds())},
		{name: "user", rule: opt(&c.User, user())},
	}}
}

func environmentFields(e *Environment) fields {
	var old older
	return fields{
		keys: []key{
			{name: "build_timeout_sec", rule: opt(&e.BuildTimeout, seconds())},
			{name: "docker_image", rule: set(&e.DockerImage, image())},
			{name: "os", rule: set(&e.OS, oneOfAnyCase(Linux, Windows))},
			{name: "cpus", rule: opt(&e.CPUs, whole(1, maxCPUs))},
			{name: "memory_mb", rule: opt(&e.MemoryMB, whole[int64](1, maxMebibytes))},
			{name: "storage_mb", rule: opt(&e.StorageMB, whole[int64](1, maxMebibytes))},
			{name: "memory", rule: opt(&old.memory, size())},
			{name: "storage", rule: opt(&old.storage, size())},
			{name: "gpus", rule: opt(&e.GPUs, whole(0, maxGPUs))},
			{name: "gpu_types", rule: set(&e.GPUTypes, list(filled()))},
			{name: "tpu", rule: maybe(&e.TPU, TPU{}, tpuFields)},
			{name: "allow_internet", rule: opt(&old.internet, flag())},
			{name: "network_mode", rule: networkMode(&e.Network)},
			{name: "allowed_hosts", rule: set(&e.Network.AllowedHosts, list(host()))},
			{name: "env", rule: set(&e.Env, environ())},
			{name: "workdir", rule: set(&e.Workdir, place())},
			{name: "skills_dir", rule: set(&e.SkillsDir, place())},
			{name: "mcp_servers", rule: rows(&e.MCPServers, MCPServer{Transport: SSE}, mcpFields)},
			{name: "healthcheck", rule: maybe(&e.Healthcheck, healthDefaults(), healthFields)},
		},
		check: func(r *reader, n *node) {
			old.settle(r, n, e)
			r.workdirIsAbsolute(n, e)
		},
	}
}

func tpuFields(t *TPU) fields {
	return fields{keys: []key{
		need("type", set(&t.Type, filled())),
		need("topology", set(&t.Topology, topology())),
	}}
}

func mcpFields(m *MCPServer) fields {
	return fields{
		keys: []key{
			need("name", set(&m.Name, filled())),
			{name: "transport", rule: set(&m.Transport, transport())},
			{name: "url", rule: set(&m.URL, filled())},
			{name: "command", rule: set(&m.Command, filled())},
			{name: "args", rule: set(&m.Args, list(text()))},
			{name: "headers", rule: set(&m.Headers, environ())},
			{name: "env", rule: set(&m.Env, environ())},
		},
		check: func(r *reader, n *node) { r.mcpIsReachable(n, m) },
	}
}

func healthDefaults() Healthcheck {
	return Healthcheck{
		Interval: 5 * time.Second, Timeout: 30 * time.Second, StartInterval: 5 * time.Second, Retries: 3,
	}
}

func healthFields(h *Healthcheck) fields {
	return fields{keys: []key{
		need("command", set(&h.Command, filled())),
		{name: "interval_sec", rule: set(&h.Interval, seconds())},
		{name: "timeout_sec", rule: set(&h.Timeout, seconds())},
		{name: "start_period_sec", rule: set(&h.StartPeriod, secondsOrZero())},
		{name: "start_interval_sec", rule: set(&h.StartInterval, seconds())},
		{name: "retries", rule: set(&h.Retries, whole(1, maxRetries))},
	}}
}

func solutionFields(s *Solution) fields {
	return fields{keys: []key{
		{name: "env", rule: set(&s.Env, environ())},
	}}
}

func stepFields(s *Step) fields {
	return fields{keys: []key{
		need("name", set(&s.Name, stepName())),
		{name: "agent", rule: inner(agentFields(&s.Agent))},
		{name: "verifier", rule: inner(verifierFields(&s.Verifier))},
		{name: "min_reward", rule: set(&s.MinReward, minReward())},
		{name: "healthcheck", rule: maybe(&s.Healthcheck, healthDefaults(), healthFields)},
		{name: "artifacts", rule: set(&s.Artifacts, list(artifact()))},
	}}
}

func artifactFields(a *Artifact) fields {
	return fields{
		keys: []key{
			need("source", set(&a.Source, filled())),
			{name: "destination", rule: set(&a.Destination, text())},
			{name: "exclude", rule: set(&a.Exclude, list(text()))},
			{name: "service", rule: set(&a.Service, trimmed(word()))},
		},
		check: func(r *reader, n *node) { r.artifactPaths(n, a) },
	}
}

func evalFields(e *Eval) fields {
	return fields{keys: []key{
		{name: "case", rule: set(&e.Case, caseID())},
		{name: "rewards", rule: opt(&e.Rewards, oneOf(RewardsContract, RewardsHarbor))},
		{name: "rewards_contract", rule: opt(&e.RewardsContract, strictly(1, math.MaxInt))},
		{name: "required_artifacts", rule: set(&e.RequiredArtifacts, list(filled()))},
		{name: "pass_bar", rule: opt(&e.PassBar, number())},
		{name: "reference_bar", rule: opt(&e.ReferenceBar, number())},
	}, check: func(r *reader, n *node) {
		for _, name := range []string{"pass_bar", "reference_bar"} {
			bar := map[string]Opt[float64]{"pass_bar": e.PassBar, "reference_bar": e.ReferenceBar}[name]
			if k := n.kid(name); k != nil && bar.Set && (bar.Value <= 0 || bar.Value > 1 && e.Rewards.Or(RewardsContract) == RewardsContract) {
				r.wrong(k, "above 0 and at most 1, as scores are")
			}
		}
		if k := n.kid("reference_bar"); k != nil && e.ReferenceBar.Set && e.ReferenceBar.Value < e.PassBar.Or(e.ReferenceBar.Value) {
			r.wrong(k, "at least the pass_bar: the task's own solution has to pass")
		}
	}}
}

func fakesFields(f *Fakes) fields {
	return fields{keys: []key{
		{name: "service", rule: set(&f.Service, word())},
		{name: "scenario", rule: set(&f.Scenario, filled())},
		{name: "servers", rule: set(&f.Servers, list(word()))},
		{name: "seed", rule: opt(&f.Seed, strictly[int64](math.MinInt64, math.MaxInt64))},
		{name: "now", rule: opt(&f.Now, moment())},
	}}
}
