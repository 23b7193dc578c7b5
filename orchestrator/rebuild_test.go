package orchestrator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seatrial/seatrial/orchestrator"
)

// finishedRun is the folder of a run of three cases, one of which could not be planned.
func finishedRun(t *testing.T) string {
	t.Helper()
	dir := tasks(t, 3)
	if err := os.WriteFile(filepath.Join(dir, "b", "task.toml"), []byte("agnt = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options())
	if err != nil {
		t.Fatal(err)
	}
	s, _ := begin(t, options(), len(jobs))
	s.Do(t.Context(), s.Runner(newEngine(scene{tests: reward(`{"reward": 0.5}`)})), jobs, func(*orchestrator.RunRecord) {})
	s.Finish(t.Context())
	return s.Path()
}

func TestARebuiltRecordIsTheSame(t *testing.T) {
	dir := finishedRun(t)
	want := readRun(t, dir)
	got, unread, err := orchestrator.Rebuild(dir)
	if err != nil || len(unread) != 0 {
		t.Fatal(err, unread)
	}
	if diff := cmp.Diff(&want, got, cmpopts.IgnoreUnexported(orchestrator.RunRecord{})); diff != "" {
		t.Errorf("(-run.json +rebuilt):\n%s", diff)
	}
}

func TestARebuiltRecordConforms(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(dir string) error
		cases int
	}{
		{"of a run that was killed", func(dir string) error {
			data, err := os.ReadFile(filepath.Join(dir, "run.json"))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "run.json"), []byte(strings.Replace(string(data), `"status": "finished"`, `"status": "running"`, 1)), 0o644)
		}, 3},
		{"of a run with a trial that was cut off", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "trials", "a", "trial.json"), []byte(`{"format": "seatrial-trial", "sch`), 0o644)
		}, 2},
		{"of a run without run.json", func(dir string) error { return os.Remove(filepath.Join(dir, "run.json")) }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := finishedRun(t)
			if err := c.do(dir); err != nil {
				t.Fatal(err)
			}
			rec, _, err := orchestrator.Rebuild(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(rec.Cases) != c.cases {
				t.Errorf("%d cases, want %d", len(rec.Cases), c.cases)
			}
			if err := (&orchestrator.Folder{Path: dir, RunID: rec.RunID}).WriteRun(rec); err != nil {
				t.Fatal(err)
			}
			readRun(t, dir)
		})
	}
}
