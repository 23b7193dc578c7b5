package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/check"
	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
)

const fixtures = "../testdata/checks"

func none(string) (string, bool) { return "", false }

func static(t testing.TB, lax bool, paths ...string) []check.Task {
	t.Helper()
	tasks, err := check.Static(t.Context(), paths, check.Options{Plan: orchestrator.Options{Agent: orchestrator.AgentChoice{Kind: orchestrator.AgentOracle}, Lookup: none, Lax: lax}})
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// brief tells findings in lines of severity, code and place.
func brief(task check.Task) string {
	var b strings.Builder
	for _, f := range task.Findings {
		f.File = strings.TrimPrefix(strings.TrimPrefix(f.File, task.Dir), "/")
		b.WriteString(string(f.Severity) + " " + f.Code + " " + f.Place() + "\n")
	}
	return b.String()
}

func TestEachFaultIsFoundAtItsPlaceAndNothingElse(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, task := range static(t, false, filepath.Join(fixtures, "bad")) {
		name := filepath.Base(task.Dir)
		if name == "unknown_key" {
			task = static(t, true, task.Dir)[0]
		}
		t.Run(name, func(t *testing.T) {
			code, _, _ := strings.Cut(name, "-")
			covered[code] = true
			golden.Compare(t, filepath.Join(fixtures, "want", name), brief(task))
			if len(task.Findings) == 0 {
				t.Fatal("nothing is found")
			}
			for _, f := range task.Findings {
				if f.Code != code {
					t.Errorf("%s is found beside: %s", f.Code, f.Message)
				}
				if f.Message == "" || f.Remedy == "" || f.Task != task.Dir {
					t.Errorf("a finding is not whole: %+v", f)
				}
			}
		})
	}
	elsewhere := "bad_name duplicate_case plan_failed" // these need folders that Git does not keep, or none leads there
	for _, k := range check.StaticKinds() {
		if !covered[k.Code] && !strings.Contains(elsewhere, k.Code) {
			t.Errorf("no folder shows %s", k.Code)
		}
	}
}

func TestGoodTasksAreFreeOfErrorsAndWarnings(t *testing.T) {
	t.Parallel()
	for _, task := range append(static(t, false, filepath.Join(fixtures, "good")), static(t, false, "../testdata/tasks")...) {
		for _, f := range task.Findings {
			if f.Severity != check.Note {
				t.Errorf("%s", &f)
			}
		}
	}
}

func TestTheFixturesAndWhatIsExpectedOfThemGoTogether(t *testing.T) {
	t.Parallel()
	want, err := os.ReadDir(filepath.Join(fixtures, "want"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if _, err := os.Stat(filepath.Join(fixtures, "bad", w.Name())); err != nil {
			t.Error(err)
		}
	}
}
