package task_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/task"
)

// The files are in the style of tasks that people publish; each must be read as it stands.
func TestPublishedStylesAreRead(t *testing.T) {
	for _, file := range glob(t, "testdata/survey/*.toml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, warnings, err := task.Parse(filepath.Base(file), read(t, file), task.Options{})
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, strings.TrimSuffix(file, ".toml")+".golden", show(c, warnings))
		})
	}
}

// show prints what a Config says and what its methods make of it.
func show(c *task.Config, warnings []task.Warning) string {
	var b strings.Builder
	line := func(name string, v any) { fmt.Fprintf(&b, "%-14s %+v\n", name, v) }
	line("schema", fmt.Sprint(c.Schema, " declared ", c.SchemaDeclared))
	line("source", c.Source)
	line("task", c.Task)
	line("agent", c.Agent)
	line("verifier", brief(c.Verifier))
	line("environment", environment(c.Environment))
	line("solution", c.Solution)
	line("artifacts", c.Artifacts)
	line("reward", c.MultiStepReward)
	line("metadata", c.Metadata)
	line("eval", c.Eval)
	if c.Fakes != nil {
		line("fakes", *c.Fakes)
	}
	for _, s := range c.Steps {
		fmt.Fprintf(&b, "\nstep %q agent %+v min %v artifacts %v\n  verifier %s\n", s.Name, s.Agent, s.MinReward, s.Artifacts, brief(s.Verifier))
		if s.Healthcheck != nil {
			fmt.Fprintf(&b, "  healthcheck %+v\n", *s.Healthcheck)
		}
	}
	last := max(1, len(c.Steps))
	for i := range last {
		step := i
		if !c.MultiStep() {
			step = task.TaskLevel
		}
		fmt.Fprintf(&b, "\neffective %d\n", step)
		line("  mode", c.VerifierMode(step))
		env, from := c.VerifierEnvironment(step)
		line("  verifier in", from+" "+environment(env))
		line("  timeouts", fmt.Sprintf("%+v", c.Timeouts(step)))
		line("  agent net", c.AgentNetwork(step))
		line("  verifier net", c.VerifierNetwork(step))
		line("  users", fmt.Sprint(c.AgentUser(step), c.VerifierUser(step)))
		line("  env", c.VerifierEnv(step))
		line("  collect", c.CollectHooks(step))
		line("  artifacts", c.ArtifactsOf(step))
	}
	b.WriteString("\n")
	for _, w := range warnings {
		b.WriteString(string(w.Code) + " " + w.String() + "\n")
	}
	return b.String()
}

func brief(v task.Verifier) string {
	env := "none"
	if v.Environment != nil {
		env = environment(*v.Environment)
	}
	v.Environment = nil
	return fmt.Sprintf("%+v environment %s", v, env)
}

func environment(e task.Environment) string {
	s := ""
	if e.TPU != nil {
		s += fmt.Sprintf(" tpu %+v", *e.TPU)
	}
	if e.Healthcheck != nil {
		s += fmt.Sprintf(" healthcheck %+v", *e.Healthcheck)
	}
	e.TPU, e.Healthcheck = nil, nil
	return fmt.Sprintf("%+v memory %d storage %d%s", e, e.MemoryBytes(), e.StorageBytes(), s)
}
