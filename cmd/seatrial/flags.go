package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// taskFlags are the flags that decide how tasks are read and planned; run and check share them.
type taskFlags struct {
	agent, agentCmd, model                string
	agentEnv, verifierEnv, composeEnv     []string
	rewards                               string
	lax, forceBuild, pull, external       bool
	allow                                 []string
	agentLimit, verifierLimit, buildLimit time.Duration
	setupLimit                            time.Duration
	multiplier                            float64
	freshSteps                            bool
	stepsMean                             string
}

func (f *taskFlags) add(s *pflag.FlagSet) {
	s.StringVarP(&f.agent, "agent", "a", "", "who does the work: oracle (the task's solution; the default), nop (nothing), or an agent.toml that says how an agent is installed and run")
	s.StringVar(&f.model, "model", "", "the model that the agent is to use, as vendor/model; default: as its agent.toml says")
	s.StringVar(&f.agentCmd, "agent-cmd", "", "a shell command that does the work, run in the agent's container as the task's agent user;\nit finds its instruction in $SEATRIAL_INSTRUCTION_FILE and $SEATRIAL_INSTRUCTION")
	s.StringArrayVar(&f.agentEnv, "agent-env", nil, "`NAME[=VALUE]` for the agent; without a value the host's is taken (repeatable)")
	s.StringArrayVar(&f.verifierEnv, "verifier-env", nil, "`NAME[=VALUE]` for the tests; without a value the host's is taken (repeatable)")
	s.StringArrayVar(&f.composeEnv, "compose-env", nil, "`NAME[=VALUE]` that compose files may refer to; without a value the host's is taken (repeatable)")
	s.StringVar(&f.rewards, "rewards", "", "how rewards are read: contract or harbor (any numbers); default: as the task says, else contract")
	s.BoolVar(&f.lax, "lax", false, "take unknown keys in task.toml for warnings")
	s.BoolVar(&f.forceBuild, "force-build", false, "build images although they are there")
	s.BoolVar(&f.pull, "pull", false, "ask the registry for images although they are there")
	s.StringSliceVar(&f.allow, "allow", nil, "dangerous things that tasks may do: "+permissions())
	s.BoolVar(&f.external, "allow-external-endpoints", false, "let the agent use MCP servers outside the task's own stack")
	s.DurationVar(&f.agentLimit, "agent-timeout", 0, "limit for the agent instead of the task's")
	s.DurationVar(&f.verifierLimit, "verifier-timeout", 0, "limit for the tests instead of the task's")
	s.DurationVar(&f.buildLimit, "build-timeout", 0, "limit for building, and for starting, instead of the task's")
	s.BoolVar(&f.freshSteps, "fresh-steps", false, "begin a new conversation with each step of a task, instead of one for all")
	s.StringVar(&f.stepsMean, "steps-mean", "verdict", "what the mean of a task with steps is over: verdict (the steps that were judged, as Harbor does it)\nor declared (all steps; those that never ran count 0)")
	s.DurationVar(&f.setupLimit, "setup-timeout", 0, "limit for what comes before an agent: a step's setup.sh and health check, an agent's set-up (default 10 minutes)")
	s.Float64Var(&f.multiplier, "timeout-multiplier", 0, "factor for these limits")
}

func permissions() string {
	var names []string
	for _, p := range stack.Permissions() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// given refuses limits that were given as zero: leaving a flag out is how to ask for the task's own.
func (f *taskFlags) given(s *pflag.FlagSet) error {
	for _, name := range []string{"agent-timeout", "verifier-timeout", "build-timeout", "setup-timeout", "timeout-multiplier"} {
		if flag := s.Lookup(name); flag.Changed && (flag.Value.String() == "0s" || flag.Value.String() == "0") {
			return usage("--%s %s: want more than 0", name, flag.Value)
		}
	}
	return nil
}

// options checks the flags and turns them into options.
func (f *taskFlags) options(lookup func(string) (string, bool)) (orchestrator.Options, error) {
	o := orchestrator.Options{Rewards: f.rewards, Lax: f.lax, ForceBuild: f.forceBuild, Pull: f.pull, AllowExternal: f.external, Lookup: lookup,
		AgentTimeout: f.agentLimit, VerifierTimeout: f.verifierLimit, BuildTimeout: f.buildLimit, SetupTimeout: f.setupLimit, TimeoutMultiplier: f.multiplier, FreshSteps: f.freshSteps, MeanOfDeclared: f.stepsMean == "declared"}
	if f.stepsMean != "verdict" && f.stepsMean != "declared" {
		return o, usage("--steps-mean %s: want verdict or declared", f.stepsMean)
	}
	if f.rewards != "" && f.rewards != "contract" && f.rewards != "harbor" {
		return o, usage("--rewards %s: want contract or harbor", f.rewards)
	}
	for name, d := range map[string]time.Duration{"--agent-timeout": f.agentLimit, "--verifier-timeout": f.verifierLimit, "--build-timeout": f.buildLimit, "--setup-timeout": f.setupLimit} {
		if d < 0 || d > maxLimit {
			return o, usage("%s %s: want more than 0 and at most 30 days", name, d)
		}
	}
	if f.multiplier < 0 || f.multiplier > 1000 || f.multiplier != f.multiplier {
		return o, usage("--timeout-multiplier %g: want more than 0 and at most 1000", f.multiplier)
	}
	var err error
	if o.Agent, err = f.choice(); err != nil {
		return o, err
	}
	if o.Allow, err = stack.ParseAllow(f.allow); err != nil {
		return o, &orchestrator.UsageError{Cause: fmt.Errorf("--allow: %w", err)}
	}
	for _, e := range []struct {
		flag  string
		pairs []string
		into  *map[string]string
	}{{"--agent-env", f.agentEnv, &o.AgentEnv}, {"--verifier-env", f.verifierEnv, &o.VerifierEnv}, {"--compose-env", f.composeEnv, &o.ComposeEnv}} {
		secrets, err := env(e.flag, e.pairs, e.into, lookup)
		if err != nil {
			return o, err
		}
		o.SecretValues = append(o.SecretValues, secrets...)
	}
	return o, nil
}

const maxLimit = 30 * 24 * time.Hour

func (f *taskFlags) choice() (orchestrator.AgentChoice, error) {
	c, err := f.kind()
	if err == nil && f.model != "" {
		if c.Kind != orchestrator.AgentInstalled && c.Kind != orchestrator.AgentCommand {
			return c, usage("--model is for an agent that uses one: %s does not", c.Kind)
		}
		c.Model = f.model
	}
	return c, err
}

func (f *taskFlags) kind() (orchestrator.AgentChoice, error) {
	switch {
	case f.agentCmd != "" && f.agent != "":
		return orchestrator.AgentChoice{}, usage("--agent and --agent-cmd exclude each other")
	case f.agentCmd != "":
		return orchestrator.AgentChoice{Kind: orchestrator.AgentCommand, Command: f.agentCmd}, nil
	case f.agent == "" || f.agent == "oracle" || f.agent == "harbor:oracle":
		return orchestrator.AgentChoice{Kind: orchestrator.AgentOracle}, nil
	case f.agent == "nop" || f.agent == "harbor:nop":
		return orchestrator.AgentChoice{Kind: orchestrator.AgentNop}, nil
	case strings.HasSuffix(f.agent, ".toml"):
		file, _, err := task.LoadAgent(f.agent)
		if err != nil {
			return orchestrator.AgentChoice{}, &orchestrator.UsageError{Cause: err}
		}
		return orchestrator.AgentChoice{Kind: orchestrator.AgentInstalled, File: file, Model: file.Model}, nil
	}
	return orchestrator.AgentChoice{}, usage("--agent %s: want oracle, nop or the path of an agent.toml; another agent is given as a command with --agent-cmd", f.agent)
}

// env reads NAME[=VALUE] flags. A value taken from the host, or one whose name says so, is a secret.
func env(flag string, pairs []string, into *map[string]string, lookup func(string) (string, bool)) ([]string, error) {
	*into = map[string]string{}
	var secrets []string
	for _, p := range pairs {
		name, value, given := strings.Cut(p, "=")
		if name == "" || strings.ContainsAny(name, "\x00 \t\n") {
			return nil, usage("%s %q: want NAME or NAME=VALUE", flag, name)
		}
		if !given {
			var ok bool
			if value, ok = lookup(name); !ok {
				return nil, usage("%s %s: the environment has no such variable", flag, name)
			}
		}
		if strings.ContainsRune(value, 0) {
			return nil, usage("%s %s: a value cannot hold a zero byte", flag, name)
		}
		(*into)[name] = value
		secrets = append(secrets, orchestrator.Secret(name, value, !given)...)
	}
	return secrets, nil
}

func usage(format string, args ...any) error {
	return &orchestrator.UsageError{Cause: fmt.Errorf(format, args...)}
}
