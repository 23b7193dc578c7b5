package task_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

func TestTimeoutsFallBackFromStepToTaskToDefault(t *testing.T) {
	c := parse(t, `
[environment]
build_timeout_sec = 1
[agent]
timeout_sec = 2
[verifier]
timeout_sec = 3
[[steps]]
name = "own"
[steps.agent]
timeout_sec = 4
[steps.verifier]
timeout_sec = 5
[[steps]]
name = "none"
`)
	build := task.Limit{Value: time.Second, Source: "task.toml [environment] build_timeout_sec"}
	setup := task.Limit{Value: 6 * time.Minute, Source: "default"}
	ofTask := task.Timeouts{
		Build: build, AgentSetup: setup,
		Agent:    task.Limit{Value: 2 * time.Second, Source: "task.toml [agent] timeout_sec"},
		Verifier: task.Limit{Value: 3 * time.Second, Source: "task.toml [verifier] timeout_sec"},
	}
	for name, tc := range map[string]struct {
		step int
		want task.Timeouts
	}{
		"a step with limits": {0, task.Timeouts{
			Build: build, AgentSetup: setup,
			Agent:    task.Limit{Value: 4 * time.Second, Source: "task.toml [steps.agent] timeout_sec of step own"},
			Verifier: task.Limit{Value: 5 * time.Second, Source: "task.toml [steps.verifier] timeout_sec of step own"},
		}},
		"a step without limits":     {1, ofTask},
		"the task":                  {task.TaskLevel, ofTask},
		"an index that has no step": {2, ofTask},
	} {
		if diff := cmp.Diff(tc.want, c.Timeouts(tc.step)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	want := task.Timeouts{
		Build:      task.Limit{Value: task.DefaultBuildTimeout, Source: "default"},
		AgentSetup: setup,
		Agent:      task.Limit{Value: task.DefaultAgentTimeout, Source: "default"},
		Verifier:   task.Limit{Value: task.DefaultVerifierTimeout, Source: "default"},
	}
	if diff := cmp.Diff(want, parse(t, "").Timeouts(task.TaskLevel)); diff != "" {
		t.Errorf("an empty file: %s", diff)
	}
}

func TestARunChangesLimits(t *testing.T) {
	base := task.Limit{Value: 10 * time.Second, Source: "base"}
	flag := func(d time.Duration, name string) task.Limit { return task.Limit{Value: d, Source: name} }
	for name, tc := range map[string]struct {
		change task.Change
		want   task.Limit
	}{
		"nothing":                  {task.Change{}, base},
		"an override":              {task.Change{Override: flag(20*time.Second, "--t")}, flag(20*time.Second, "--t")},
		"a cap that is lower":      {task.Change{Cap: flag(5*time.Second, "--max")}, flag(5*time.Second, "base, capped by --max")},
		"a cap that is higher":     {task.Change{Cap: flag(15*time.Second, "--max")}, base},
		"a factor of one":          {task.Change{Factor: 1, FactorSource: "--x"}, base},
		"a factor with a fraction": {task.Change{Factor: 0.25, FactorSource: "--x"}, flag(2500*time.Millisecond, "base, times 0.25 by --x")},
		"a factor comes after a cap": {
			task.Change{Override: flag(time.Minute, "--t"), Cap: flag(4*time.Second, "--max"), Factor: 2, FactorSource: "--x"},
			flag(8*time.Second, "--t, capped by --max, times 2 by --x"),
		},
		"a factor that overflows":      {task.Change{Factor: 1e300, FactorSource: "--x"}, flag(math.MaxInt64, "base, times 1e+300 by --x")},
		"a factor that leaves nothing": {task.Change{Factor: 1e-300, FactorSource: "--x"}, flag(1, "base, times 1e-300 by --x")},
		"a factor that is negative":    {task.Change{Factor: -1, FactorSource: "--x"}, base},
		"a factor that is no number":   {task.Change{Factor: math.NaN(), FactorSource: "--x"}, base},
		"a factor without end":         {task.Change{Factor: math.Inf(1), FactorSource: "--x"}, base},
	} {
		if diff := cmp.Diff(tc.want, base.With(tc.change)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestVerifierMode(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want task.Mode
	}{
		"nothing is said": {"[[steps]]\nname='a'", task.Shared},
		"the step's mode wins over its task's environment": {
			"[verifier.environment]\n[[steps]]\nname='a'\n[steps.verifier]\nenvironment_mode='shared'", task.Shared,
		},
		"the step's environment wins over the task's mode": {
			"[verifier]\nenvironment_mode='shared'\n[[steps]]\nname='a'\n[steps.verifier.environment]", task.Separate,
		},
		"the task's mode holds for a step that says nothing": {
			"[verifier]\nenvironment_mode='separate'\n[[steps]]\nname='a'", task.Separate,
		},
		"the task's environment holds for a step that says nothing": {
			"[verifier.environment]\n[[steps]]\nname='a'", task.Separate,
		},
		"the task's mode and environment agree": {
			"[verifier]\nenvironment_mode='separate'\n[verifier.environment]\n[[steps]]\nname='a'", task.Separate,
		},
	} {
		if got := parse(t, tc.text).VerifierMode(0); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestAStepAddsToItsTask(t *testing.T) {
	c := parse(t, `
artifacts = ["/a"]
[verifier]
env = { A = "task", B = "task" }
user = "v"
collect = [{ command = "one" }]
[[steps]]
name = "x"
artifacts = ["/b"]
agent.user = "me"
verifier = { env = { B = "step" }, collect = [{ command = "two" }] }
`)
	if diff := cmp.Diff(task.EnvTable{"A": "task", "B": "step"}, c.VerifierEnv(0)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(task.EnvTable{"A": "task", "B": "task"}, c.VerifierEnv(task.TaskLevel)); diff != "" {
		t.Errorf("the task's table changed: %s", diff)
	}
	if got := c.CollectHooks(0); len(got) != 2 || got[0].Command != "one" || got[1].Command != "two" {
		t.Errorf("hooks %v", got)
	}
	if got := c.ArtifactsOf(0); len(got) != 2 || got[0].Source != "/a" || got[1].Source != "/b" {
		t.Errorf("artifacts %v", got)
	}
	if a, v := c.AgentUser(0), c.VerifierUser(0); a.Or("") != "me" || v.Or("") != "v" {
		t.Errorf("users %v and %v", a, v)
	}
}
