package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tried runs `check --live` on folders below testdata/checks/live, and returns the codes of what was found by the names of the tasks.
func tried(t *testing.T, dir string, args ...string) (found map[string][]string, code int, checks string) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "testdata", "checks", "live", dir))
	if err != nil {
		t.Fatal(err)
	}
	return triedAt(t, dir, args...)
}

func triedAt(t *testing.T, dir string, args ...string) (found map[string][]string, code int, checks string) {
	t.Helper()
	need(t)
	checks = t.TempDir()
	code, stdout, stderr := seatrialWithin(t, 8*time.Minute, nil, append([]string{"check", "--live", "--format", "json", "--checks-dir", checks, dir}, args...)...)
	var doc struct {
		Tasks    []struct{ Task string }
		Findings []struct{ Code, Severity, Task, File, Message, Remedy string }
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatalf("exit code %d, %v\n%s\n%s", code, err, stdout, stderr)
	}
	found = map[string][]string{}
	for _, task := range doc.Tasks {
		found[filepath.Base(task.Task)] = []string{}
	}
	for _, f := range doc.Findings {
		if f.Severity == "note" {
			continue
		}
		if f.Message == "" || f.Remedy == "" || f.File == "" {
			t.Errorf("%+v", f)
		}
		found[filepath.Base(f.Task)] = append(found[filepath.Base(f.Task)], f.Code)
	}
	if len(glob(t, checks, "run.json")) > 0 {
		t.Error("what was tried stands in a run.json")
	}
	return found, code, checks
}

func glob(t *testing.T, dir, name string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*", name))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTryingOutTestsFindsEachFault(t *testing.T) {
	t.Parallel()
	found, code, checks := tried(t, "bad", "-n", "2")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	for task, codes := range found {
		want, _, _ := strings.Cut(task, "-")
		if !slices.Contains(codes, want) {
			t.Errorf("%s: found %v", task, codes)
		}
	}
	for _, name := range []string{"start_passes", "reference_fails", "reference_fails-bar", "probe_wrong-shortcut", "probe_wrong-variation", "reference_missing"} {
		if len(found[name]) != 1 {
			t.Errorf("%s: found %v, want that alone", name, found[name])
		}
	}
	for _, file := range glob(t, checks, "check.json") {
		data, err := os.ReadFile(file)
		var doc struct {
			Synthetic bool
			Trials    []struct {
				Agent, Folder string
			}
		}
		if err != nil || json.Unmarshal(data, &doc) != nil || !doc.Synthetic || len(doc.Trials) < 15 {
			t.Errorf("%s", data)
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), doc.Trials[0].Folder, "trial.json"))
		if err != nil || !strings.Contains(string(text), `"synthetic": true`) {
			t.Errorf("%v\n%s", err, text)
		}
		if code, _, stderr := seatrial(t, nil, "summarize", filepath.Dir(file), "--dry-run"); code == 0 || !strings.Contains(stderr, "no result") {
			t.Errorf("a check was summarized as a run: %s", stderr)
		}
	}
}

func TestTryingOutGoodTestsFindsNothing(t *testing.T) {
	t.Parallel()
	found, code, _ := tried(t, "good", "-n", "2", "--fail-on", "warning")
	if code != 0 || len(found) < 3 {
		t.Errorf("exit code %d, %d tasks", code, len(found))
	}
	for task, codes := range found {
		if len(codes) > 0 {
			t.Errorf("%s: found %v", task, codes)
		}
	}
}

func TestWhatInitWritesIsGood(t *testing.T) {
	t.Parallel()
	need(t)
	dir := t.TempDir()
	for _, kind := range []string{"task", "scoring", "fake"} {
		if code, _, stderr := seatrial(t, nil, "init", kind, "my-"+kind, "--dir", dir); code != 0 {
			t.Fatal(stderr)
		}
	}
	if code, _, stderr := seatrial(t, nil, "init", "agent", "my-agent", "--dir", filepath.Join(dir, "agents")); code != 0 {
		t.Fatal(stderr)
	}
	found, code, _ := triedAt(t, dir, "-n", "2", "--fail-on", "warning")
	if code != 0 || len(found) != 3 {
		t.Errorf("exit code %d, found %v", code, found)
	}
	r := seatrialRun(t, "--agent", filepath.Join(dir, "agents", "my-agent", "agent.toml"), filepath.Join(dir, "my-task"))
	if c := r.only(t); c.Error != nil || c.Score == nil {
		t.Errorf("the agent comes to %+v", c.Error)
	}
}

func TestTryingOutAgainAndAgainFindsWhatIsNotTheSame(t *testing.T) {
	t.Parallel()
	found, _, _ := tried(t, "flaky", "--repeat", "4", "-n", "2")
	if codes := found["flaky_rewards"]; !slices.Equal(slices.Compact(codes), []string{"flaky_rewards"}) {
		t.Errorf("rewards that change: found %v", codes)
	}
	// Its verdicts are the same by chance once in eight times: then it is taken for what it was each time.
	if codes := found["flaky_verdict"]; !slices.Contains([]string{"flaky_verdict", "reference_fails", ""}, strings.Join(codes, " ")) {
		t.Errorf("verdicts that change: found %v", codes)
	}
}
