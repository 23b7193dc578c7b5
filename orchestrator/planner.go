package orchestrator

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// Limits of phases that a task cannot set.
const (
	prepareLimit  = 10 * time.Minute
	collectLimit  = 2 * time.Minute
	rewardsLimit  = time.Minute
	teardownLimit = time.Minute
)

// MakePlan decides everything about one trial of a task that has been loaded. Errors say what is wrong with the task or the
// options; nothing has been started. folder is the trial's folder name, legacy the id that the case has without one of its own.
func MakePlan(ctx context.Context, t *task.Task, folder, legacy string, o *Options) (*Plan, error) {
	if err := Unsupported(t); err != nil {
		return nil, err
	}
	c := &t.Config
	p := &Plan{Task: t, Folder: folder, LegacyID: legacy, CaseID: c.Eval.Case, Agent: o.Agent, Workdir: c.Environment.Workdir,
		Network: c.StartNetwork().Mode, Limits: limits(c, o), FreshSteps: o.FreshSteps, MeanOfDeclared: o.MeanOfDeclared,
		FinalStep: c.MultiStepReward.Or(task.RewardMean) == task.RewardFinal}
	for _, w := range t.Warnings {
		p.warn(string(w.Code), w.String())
	}
	if p.CaseID == "" {
		p.CaseID = legacy
		p.warn("case_unnamed", "the task names no case; its id is "+legacy)
	}
	if err := p.environment(c, o); err != nil {
		return nil, err
	}
	p.rewards(c, o)
	if err := p.stack(ctx, c, o); err != nil {
		return nil, err
	}
	if err := p.addFakes(c); err != nil {
		return nil, err
	}
	if err := p.images(o); err != nil {
		return nil, err
	}
	if err := p.ownFolders(); err != nil {
		return nil, err
	}
	if err := p.endpoints(o); err != nil {
		return nil, err
	}
	if p.Workdir == "" {
		p.Workdir = sidecar.Find(p.Spec, stack.Main).WorkingDir
	}
	if err := p.steps(c, o); err != nil {
		return nil, err
	}
	sum, err := task.Digest(t.Dir)
	if err != nil {
		return nil, fmt.Errorf("digest of %s: %w", t.Dir, err)
	}
	p.Checksum = sum
	return p, nil
}

// limits resolves the limits of the phases that a trial has once, and where they come from.
func limits(c *task.Config, o *Options) map[Phase]Limit {
	l := c.Timeouts(task.TaskLevel)
	return map[Phase]Limit{
		PhaseBuild:    o.limit(PhaseBuild, l.Build, o.BuildTimeout, "--build-timeout"),
		PhaseStart:    o.limit(PhaseStart, l.Build, o.BuildTimeout, "--build-timeout"),
		PhaseRewards:  fixed(PhaseRewards, rewardsLimit),
		PhaseTeardown: fixed(PhaseTeardown, teardownLimit),
	}
}

// stepLimits resolves those of the phases that each step has.
func stepLimits(c *task.Config, step int, o *Options) map[Phase]Limit {
	l := c.Timeouts(step)
	return map[Phase]Limit{
		PhasePrepare:  o.limit(PhasePrepare, task.Limit{Value: prepareLimit, Source: "default"}, o.SetupTimeout, "--setup-timeout"),
		PhaseAgent:    o.limit(PhaseAgent, l.Agent, o.AgentTimeout, "--agent-timeout"),
		PhaseCollect:  fixed(PhaseCollect, collectLimit),
		PhaseVerifier: o.limit(PhaseVerifier, l.Verifier, o.VerifierTimeout, "--verifier-timeout"),
	}
}

func (o *Options) limit(phase Phase, base task.Limit, override time.Duration, flag string) Limit {
	got := base.With(task.Change{Override: task.Limit{Value: override, Source: flag}, Factor: o.TimeoutMultiplier, FactorSource: "--timeout-multiplier"})
	return Limit{Phase: phase, Value: got.Value, Source: got.Source}
}

func fixed(phase Phase, d time.Duration) Limit {
	return Limit{Phase: phase, Value: d, Source: "default"}
}

// environment resolves the env tables. Values that come from the host are secrets.
func (p *Plan) environment(c *task.Config, o *Options) error {
	var err error
	if p.Env, err = p.resolve("environment.env", c.Environment.Env, o); err != nil {
		return err
	}
	p.SolutionEnv = map[string]string{"DEBIAN_FRONTEND": "noninteractive"}
	if o.Agent.Kind == AgentOracle {
		env, err := p.resolve("solution.env", c.Solution.Env, o)
		if err != nil {
			return err
		}
		maps.Copy(p.SolutionEnv, env)
	}
	p.AgentEnv = maps.Clone(o.AgentEnv)
	p.keepSecret(o.SecretValues...)
	return nil
}

// resolve gives an env table its values. Those that come from the host are secrets.
func (p *Plan) resolve(table string, t task.EnvTable, o *Options) (map[string]string, error) {
	values, fromHost, err := t.Resolve(table, o.Lookup)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(p.Task.Dir, "task.toml"), err)
	}
	for _, name := range fromHost {
		p.keepSecret(Secret(name, values[name], true)...)
	}
	return values, nil
}

func (p *Plan) keepSecret(values ...string) {
	p.Secrets = slices.Compact(slices.Sorted(slices.Values(append(p.Secrets, values...))))
}

// verifierEnv is what the tests of a part find in their environment besides what the environment sets.
func (p *Plan) verifierEnv(c *task.Config, part task.Part, o *Options) (map[string]string, error) {
	env, err := p.resolve("verifier.env", c.VerifierEnv(part.Step), o)
	if err != nil {
		return nil, err
	}
	maps.Copy(env, o.VerifierEnv)
	return env, nil
}

// rewards decides by which rules the rewards are read.
func (p *Plan) rewards(c *task.Config, o *Options) {
	p.Harbor = c.Eval.Rewards.Or(task.RewardsContract) == task.RewardsHarbor
	if o.Rewards != "" {
		p.Harbor = o.Rewards == string(task.RewardsHarbor)
	}
	if v := c.Eval.RewardsContract; v.Set {
		p.Contract = &v.Value
	}
}

// stack converts the compose file, or makes the stack of a task without one.
func (p *Plan) stack(ctx context.Context, c *task.Config, o *Options) error {
	t := p.Task
	in := stack.Input{
		Dir: filepath.Join(t.Dir, "environment"), TaskDir: t.Dir, Vars: composeVars(p, o), Secrets: map[string]bool{},
		MainBuilt: p.builds(o), MainEnv: p.Env, CPUs: float64(c.Environment.CPUs.Or(0)), Memory: c.Environment.MemoryBytes(),
		GPUs: c.Environment.GPUs.Or(0), Workdir: c.Environment.Workdir, NoNetwork: p.Network == task.NoNetwork, Allow: o.Allow, LogPaths: logPaths(),
		HostAllowed: func(name string) (string, bool) {
			if !slices.Contains([]string{"HOME", "PATH", "USER", "LANG", "TZ"}, name) {
				return "", false
			}
			return o.Lookup(name)
		},
		HostHas: func(name string) bool { _, ok := o.Lookup(name); return ok },
	}
	for name := range o.ComposeEnv {
		in.Secrets[name] = true
	}
	for _, name := range c.Environment.Env.HostNames() {
		in.Secrets[name] = true
	}
	if _, fromHost, err := c.Environment.Env.Resolve("environment.env", o.Lookup); err == nil {
		for _, name := range fromHost {
			in.Secrets[name] = true
		}
	}
	if t.HasCompose {
		in.File = filepath.Join(in.Dir, "docker-compose.yaml")
	}
	spec, warnings, err := stack.Convert(ctx, in)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		p.warn("compose", w.String())
	}
	p.Spec = spec
	return nil
}

// builds says whether the task's own image is built from its Dockerfile.
func (p *Plan) builds(o *Options) bool {
	return p.Task.HasDockerfile && (p.Task.Config.Environment.DockerImage == "" || o.ForceBuild)
}

func mainImageName(t *task.Task) string { return "seatrial/" + sidecar.Slug(t.ShortName, 40) }

// images says where each service's image comes from.
func (p *Plan) images(o *Options) error {
	p.Images = map[string]Source{}
	envDir := filepath.Join(p.Task.Dir, "environment")
	for i := range p.Spec.Services {
		svc := &p.Spec.Services[i]
		src := Source{Ref: svc.Image, Policy: svc.PullPolicy, Platform: svc.Platform}
		name := sidecar.Slug(p.Task.ShortName, 40)
		if svc.Name != stack.Main {
			name += "-" + sidecar.Slug(svc.Name, 20)
		}
		if svc.TaskImage && svc.Name != stack.Main {
			name = sidecar.Slug(p.Task.ShortName, 40) // the same image as main's
		}
		if p.Fakes != nil && !p.Fakes.Own && svc.Name == p.Fakes.Service {
			p.Images[svc.Name] = Source{Program: true}
			continue
		}
		switch own := svc.TaskImage; {
		case svc.Build != nil:
			b := svc.Build
			src.Build = &images.Request{Context: b.Context, Dockerfile: b.Dockerfile, Inline: b.DockerfileInline, Target: b.Target, Args: b.Args,
				Platform: svc.Platform, Name: name, Force: o.ForceBuild, Network: b.Network}
		case own && p.builds(o):
			src.Build = &images.Request{Context: envDir, Platform: svc.Platform, Name: name, Force: o.ForceBuild}
			if p.Fakes != nil {
				src.Build.Exclude = []string{"fakes"} // what the fakes will answer is not for the agent to read
			}
		case own && p.Task.Config.Environment.DockerImage != "":
			src.Ref = p.Task.Config.Environment.DockerImage
			p.UploadEnvironment = !p.Task.HasDockerfile && !p.Task.HasCompose
		case own:
			return &UnsupportedError{File: p.Task.Dir, Key: "environment", What: "there is neither environment/Dockerfile nor [environment] docker_image, nor an image or build for main in the compose file"}
		}
		if src.Build == nil && o.Pull {
			src.Policy = "always"
		}
		p.Images[svc.Name] = src
	}
	return nil
}

// logPaths maps what compose files of older tasks name as the host's log folders to the trial's own.
func logPaths() map[string]string {
	return map[string]string{hostLogs + "agent": "agent", hostLogs + "verifier": "verifier", hostLogs + "artifacts": "artifacts"}
}

const hostLogs = "/.seatrial-logs/"

// composeVars are the variables that Harbor sets for compose files, and those that the task and the user declare.
func composeVars(p *Plan, o *Options) map[string]string {
	t, c := p.Task, &p.Task.Config
	v := map[string]string{}
	maps.Copy(v, o.ComposeEnv)
	for _, name := range c.Environment.Env.HostNames() {
		if value, ok := o.Lookup(name); ok {
			v[name] = value
		}
	}
	maps.Copy(v, p.Env)
	maps.Copy(v, map[string]string{
		"MAIN_IMAGE_NAME": mainImageName(t), "CONTEXT_DIR": filepath.Join(t.Dir, "environment"), "TEST_DIR": "/tests",
		"COMPOSE_PROJECT_NAME": sidecar.Slug(p.Folder, 40), "NETWORK_MODE": "bridge",
		"HOST_VERIFIER_LOGS_PATH": hostLogs + "verifier", "ENV_VERIFIER_LOGS_PATH": "/logs/verifier",
		"HOST_AGENT_LOGS_PATH": hostLogs + "agent", "ENV_AGENT_LOGS_PATH": "/logs/agent",
		"HOST_ARTIFACTS_PATH": hostLogs + "artifacts", "ENV_ARTIFACTS_PATH": "/logs/artifacts",
	})
	if p.Network == task.NoNetwork {
		v["NETWORK_MODE"] = "none"
	}
	if c.Environment.DockerImage != "" {
		v["PREBUILT_IMAGE_NAME"] = c.Environment.DockerImage
	}
	if n := c.Environment.CPUs; n.Set {
		v["CPUS"] = strconv.Itoa(n.Value)
	}
	if n := c.Environment.MemoryMB; n.Set {
		v["MEMORY"] = strconv.FormatInt(n.Value, 10) + "M"
	}
	return v
}
