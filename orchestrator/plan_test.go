package orchestrator_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
)

// print is a plan with this checkout's place taken out.
func print(t *testing.T, p *orchestrator.Plan) string {
	t.Helper()
	here, err := filepath.Abs(filepath.Join("testdata", "tasks"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(p.String(), here, "/TASKS")
}

func TestPlanPrints(t *testing.T) {
	secret := func(o *orchestrator.Options) {
		o.ComposeEnv = map[string]string{"STORE_TOKEN": "not-to-be-shown"}
		o.AgentEnv = map[string]string{"MY_KEY": "not-to-be-shown"}
		o.VerifierEnv = map[string]string{"OTHER_KEY": "not-to-be-shown"}
	}
	for _, c := range []struct {
		name, task string
		change     []func(*orchestrator.Options)
	}{
		{"plain-oracle", "plain", nil},
		{"plain-command", "plain", []func(*orchestrator.Options){command("my-agent --model m")}},
		{"plain-limits", "plain", []func(*orchestrator.Options){func(o *orchestrator.Options) { o.AgentTimeout, o.TimeoutMultiplier = 5e9, 1.5 }}},
		{"plain-harbor", "plain", []func(*orchestrator.Options){func(o *orchestrator.Options) { o.Rewards = "harbor" }}},
		{"beside-nop", "beside", []func(*orchestrator.Options){nop}},
		{"beside-secret", "beside", []func(*orchestrator.Options){secret}},
		{"secretive", "secretive", nil},
		{"bare-nop", "bare", []func(*orchestrator.Options){nop}},
		{"bare-pull", "bare", []func(*orchestrator.Options){nop, func(o *orchestrator.Options) { o.Pull = true }}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := print(t, planOf(t, c.task, c.change...))
			if strings.Contains(got, "not-to-be-shown") || strings.Contains(got, "tok-0123456789") {
				t.Errorf("the print shows a secret:\n%s", got)
			}
			golden.Compare(t, filepath.Join("testdata", "golden", "plan-"+c.name+".txt"), got)
		})
	}
}

func TestPlansOfTheExamplesPrint(t *testing.T) {
	here, err := filepath.Abs(filepath.Join("..", "testdata", "tasks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"steps", "steps-separate-then-shared", "separate-sidecars", "separate-required-artifact", "network-allowlist", "network-closed-for-the-agent"} {
		p := planOf(t, filepath.Join("..", "..", "..", "testdata", "tasks", name))
		golden.Compare(t, filepath.Join("testdata", "golden", "plan-example-"+name+".txt"), strings.ReplaceAll(p.String(), here, "/TASKS"))
	}
}

func TestEverySampleTaskCanBePlanned(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "testdata", "tasks", "*", "task.toml"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no sample tasks: %v", err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options(nop))
			if err != nil {
				t.Fatal(err)
			}
			if jobs[0].Err != nil {
				if _, serr := os.Stat(filepath.Join(dir, "BROKEN")); serr != nil {
					t.Error(jobs[0].Err)
				}
				return
			}
			if s := jobs[0].Plan.String(); !strings.HasPrefix(s, "task ") || !strings.HasSuffix(s, "\n") {
				t.Errorf("its print is odd:\n%s", s)
			}
		})
	}
}

func TestWhatCannotBeRunIsSaidWithItsPlace(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		key            string
		line           int
	}{
		{"a TPU", "[environment]", "[environment.tpu]\ntype = \"v5\"\ntopology = \"2x2\"\n[environment]", "environment.tpu", 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			copyTask(t, "plain", dir, c.from, c.to)
			jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options())
			if err != nil {
				t.Fatal(err)
			}
			var u *orchestrator.UnsupportedError
			if !errors.As(jobs[0].Err, &u) {
				t.Fatalf("error %v", jobs[0].Err)
			}
			if u.Key != c.key || u.Line != c.line || u.Column == 0 {
				t.Errorf("%+v, want key %s in line %d", u, c.key, c.line)
			}
		})
	}
}

func TestTheOracleNeedsASolution(t *testing.T) {
	jobs, err := orchestrator.Plans(t.Context(), []string{filepath.Join("testdata", "tasks", "bare")}, options())
	if err != nil {
		t.Fatal(err)
	}
	var u *orchestrator.UnsupportedError
	if !errors.As(jobs[0].Err, &u) || !strings.Contains(u.Error(), "--agent oracle") {
		t.Errorf("error %v", jobs[0].Err)
	}
}

func TestAMissingVariableStopsThePlan(t *testing.T) {
	jobs, err := orchestrator.Plans(t.Context(), []string{filepath.Join("testdata", "tasks", "secretive")},
		options(func(o *orchestrator.Options) { o.Lookup = func(string) (string, bool) { return "", false } }))
	if err != nil {
		t.Fatal(err)
	}
	if jobs[0].Err == nil || !strings.Contains(jobs[0].Err.Error(), "API_TOKEN") || !strings.Contains(jobs[0].Err.Error(), "task.toml") {
		t.Errorf("error %v", jobs[0].Err)
	}
}

func TestNoTaskIsUsage(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "nowhere"), t.TempDir()} {
		_, err := orchestrator.Plans(t.Context(), []string{path}, options())
		var usage *orchestrator.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v (%T)", path, err, err)
		}
	}
}
