package orchestrator

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

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
	o, looked := o.watched()
	p := &Plan{Asked: o.recorded(), looked: looked, Task: t, Folder: folder, LegacyID: legacy, CaseID: c.Eval.Case, Agent: o.Agent, Workdir: c.Environment.Workdir,
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
	p.Gate = p.gate(c)
	d := &definition{dir: filepath.Join(t.Dir, "environment"), dockerfile: t.HasDockerfile, compose: t.HasCompose, env: c.Environment, values: p.Env,
		network: p.Network, gated: p.Gate != nil, image: sidecar.Slug(t.ShortName, 40), place: "environment"}
	var err error
	if p.Spec, err = p.convert(ctx, d, o); err != nil {
		return nil, err
	}
	if err := p.addFakes(c); err != nil {
		return nil, err
	}
	d.exclude = p.unseen()
	if err := addGate(p.Spec, p.Gate, p.fakesService()); err != nil {
		return nil, &UnsupportedError{File: filepath.Join(t.Dir, "task.toml"), Key: "network_mode", What: err.Error()}
	}
	p.Spec.Tools = p.Spec.Tools || p.scores()
	if p.Images, err = p.sources(p.Spec, d, o); err != nil {
		return nil, err
	}
	p.UploadEnvironment = t.HasEnvironment && c.Environment.DockerImage != "" && !d.builds(o) && !t.HasDockerfile && !t.HasCompose
	if err := p.ownFolders(); err != nil {
		return nil, err
	}
	if err := p.endpoints(o); err != nil {
		return nil, err
	}
	if p.Workdir == "" {
		p.Workdir = sidecar.Find(p.Spec, stack.Main).WorkingDir
	}
	if err := p.steps(ctx, c, o); err != nil {
		return nil, err
	}
	sum, err := task.Digest(t.Dir)
	if err != nil {
		return nil, fmt.Errorf("digest of %s: %w", t.Dir, err)
	}
	p.Checksum = sum
	return p, nil
}

// unseen is what of the environment folder stays out of the agent's image: what the fakes will answer is not for it to read.
func (p *Plan) unseen() []string {
	if p.Fakes == nil {
		return nil
	}
	return []string{"fakes"}
}

// limits resolves the limits of the phases that a trial has once, and where they come from.
func limits(c *task.Config, o *Options) map[Phase]Limit {
	l := c.Timeouts(task.TaskLevel)
	all := map[Phase]Limit{
		PhaseBuild:    o.limit(PhaseBuild, l.Build, o.BuildTimeout, "--build-timeout"),
		PhaseStart:    o.limit(PhaseStart, l.Build, o.BuildTimeout, "--build-timeout"),
		PhaseRewards:  fixed(PhaseRewards, rewardsLimit),
		PhaseTeardown: fixed(PhaseTeardown, teardownLimit),
	}
	if f := o.Agent.File; f != nil {
		base := task.Limit{Value: f.Install.Timeout, Source: "agent.toml [install] timeout_sec, or its default"}
		all[PhaseInstall] = o.limit(PhaseInstall, base, o.SetupTimeout, "--setup-timeout")
	}
	return all
}

// stepLimits resolves those of the phases that each step has.
func stepLimits(c *task.Config, step int, o *Options) map[Phase]Limit {
	l := c.Timeouts(step)
	if f := o.Agent.File; f != nil && f.Run.Timeout.Set && f.Run.Timeout.Value < l.Agent.Value {
		l.Agent = task.Limit{Value: f.Run.Timeout.Value, Source: "agent.toml [run] timeout_sec"}
	}
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
	if o.Agent.Kind == AgentOracle || o.Agent.Kind == AgentProbe {
		env, err := p.resolve("solution.env", c.Solution.Env, o)
		if err != nil {
			return err
		}
		maps.Copy(p.SolutionEnv, env)
	}
	p.AgentEnv = maps.Clone(o.AgentEnv)
	p.keepSecret(o.SecretValues...)
	return p.agentVariables(o)
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
