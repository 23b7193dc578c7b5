package task

import (
	"maps"
	"slices"
)

// TaskLevel stands for the task itself where a method takes the index of a step. Any index without a step does.
const TaskLevel = -1

// at returns the step with this index, or an empty one, which inherits all.
func (c *Config) at(step int) *Step {
	if step < 0 || step >= len(c.Steps) {
		return &Step{}
	}
	return &c.Steps[step]
}

// VerifierMode returns where the tests of a step run. The step's own mode wins, then a step's own environment asks for
// Separate even where the task says Shared, then the task's mode, then the task's verifier environment. It is Harbor's
// order.
func (c *Config) VerifierMode(step int) Mode {
	s := c.at(step)
	switch {
	case s.Verifier.Mode.Set:
		return s.Verifier.Mode.Value
	case s.Verifier.Environment != nil:
		return Separate
	case c.Verifier.Mode.Set:
		return c.Verifier.Mode.Value
	case c.Verifier.Environment != nil:
		return Separate
	default:
		return Shared
	}
}

// VerifierEnvironment returns the environment of a separate verifier and the table that holds it: the step's, else the
// task verifier's, else the agent's. It shares maps and slices with c.
func (c *Config) VerifierEnvironment(step int) (env Environment, table string) {
	env, table, name := c.verifierEnvironment(step)
	if name != "" {
		table += " of step " + name
	}
	return env, table
}

func (c *Config) verifierEnvironment(step int) (env Environment, table, name string) {
	s := c.at(step)
	switch {
	case s.Verifier.Environment != nil:
		return *s.Verifier.Environment, "[steps.verifier.environment]", s.Name
	case c.Verifier.Environment != nil:
		return *c.Verifier.Environment, "[verifier.environment]", ""
	default:
		return c.Environment, "[environment]", ""
	}
}

// AgentUser returns the user of a step's agent: the step's, else the task's. Unset means the image's.
func (c *Config) AgentUser(step int) Opt[string] {
	if u := c.at(step).Agent.User; u.Set {
		return u
	}
	return c.Agent.User
}

// VerifierUser returns the user of a step's tests: the step's, else the task's. Unset means the image's.
func (c *Config) VerifierUser(step int) Opt[string] {
	if u := c.at(step).Verifier.User; u.Set {
		return u
	}
	return c.Verifier.User
}

// VerifierEnv returns the variables of a step's tests: the task's, and the step's over them.
func (c *Config) VerifierEnv(step int) EnvTable {
	env := maps.Clone(c.Verifier.Env)
	if env == nil {
		env = EnvTable{}
	}
	maps.Copy(env, c.at(step).Verifier.Env)
	return env
}

// CollectHooks returns the collect hooks of a step: the task's, then the step's.
func (c *Config) CollectHooks(step int) []Collect {
	return slices.Concat(c.Verifier.Collect, c.at(step).Verifier.Collect)
}

// ArtifactsOf returns the artifacts of a step: the task's, then the step's.
func (c *Config) ArtifactsOf(step int) []Artifact {
	return slices.Concat(c.Artifacts, c.at(step).Artifacts)
}
