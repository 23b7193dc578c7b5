package orchestrator_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/orchestrator"
)

// rebuildable makes a run's folder with one trial for each named content of a trial.json; a nil one has no record.
func rebuildable(t *testing.T, run string, trials map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	if run != "" {
		if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(run), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range trials {
		folder := filepath.Join(dir, "trials", name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, "trial.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// scoredTrial is the record of a trial with a score.
func scoredTrial(t *testing.T, id string, score float64) []byte {
	t.Helper()
	data, err := orchestrator.Encode(&orchestrator.TrialRecord{Format: orchestrator.TrialFormat, SchemaVersion: orchestrator.SchemaVersion,
		Case: orchestrator.Case{ID: id, Status: orchestrator.Complete, Score: &score, Artifacts: orchestrator.Artifacts{Trial: "trials/" + id}}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	good := map[string][]byte{"a": scoredTrial(t, "a", 1), "b": scoredTrial(t, "b", 0), "c": scoredTrial(t, "c", 0.5)}
	for _, tc := range []struct {
		name    string
		run     string
		more    map[string][]byte
		missing int
		says    []string
	}{
		{"only good records", "", nil, 0, nil},
		{"an empty record", "", map[string][]byte{"d": {}}, 1, []string{"empty"}},
		{"a cut record", "", map[string][]byte{"d": good["a"][:40]}, 1, []string{"cut"}},
		{"a record of a newer version", "", map[string][]byte{"d": []byte(`{"format": "seatrial-trial", "schema_version": 99}`)}, 1, []string{"version 99", "upgrade"}},
		{"a folder without a record", "", map[string][]byte{"d": nil}, 1, []string{"no such file"}},
		{"a foreign record", "", map[string][]byte{"d": []byte(`{"hello": 1}`)}, 1, []string{"not a record of ours"}},
		{"a record whose types are off", "", map[string][]byte{"d": []byte(`{"format": "seatrial-trial", "schema_version": 1, "case": 3}`)}, 1, []string{"schema"}},
		{"a run that was planned larger", `{"format": "seatrial-run", "schema_version": 1, "run_id": "r", "status": "running", "summary": {"planned": 6}}`, nil, 3, nil},
		{"a broken run.json", `{"format": "seatr`, nil, 0, []string{"cut"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			trials := map[string][]byte{}
			for k, v := range good {
				trials[k] = v
			}
			for k, v := range tc.more {
				trials[k] = v
			}
			dir := rebuildable(t, tc.run, trials)
			rec, unread, err := orchestrator.Rebuild(dir)
			if err != nil {
				t.Fatal(err)
			}
			if s := rec.Summary; s.Scored != 3 || s.MeanScore == nil || *s.MeanScore != 0.5 || s.Missing != tc.missing {
				t.Errorf("summary %+v, want 3 scored, mean 0.5, %d missing", s, tc.missing)
			}
			if rec.Status != orchestrator.RunInterrupted {
				t.Errorf("status %s", rec.Status)
			}
			if len(unread) != min(len(tc.says), 1) {
				t.Fatalf("unread %+v", unread)
			}
			for _, word := range tc.says {
				if !strings.Contains(unread[0].Reason, word) {
					t.Errorf("reason %q does not mention %q", unread[0].Reason, word)
				}
			}
			if want := orchestrator.ExitIncomplete; tc.missing > 0 && orchestrator.ExitCode(t.Context(), rec, nil) != want {
				t.Errorf("the exit code hides what is missing")
			}
		})
	}
}

func TestRebuildNeedsARunsFolder(t *testing.T) {
	t.Parallel()
	_, _, err := orchestrator.Rebuild(t.TempDir())
	var usage *orchestrator.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("error %v", err)
	}
}

func TestRebuildPassesOverFilesBesideTheTrials(t *testing.T) {
	t.Parallel()
	dir := rebuildable(t, "", map[string][]byte{"a": scoredTrial(t, "a", 1)})
	if err := os.WriteFile(filepath.Join(dir, "trials", "result.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, unread, err := orchestrator.Rebuild(dir)
	if err != nil || unread != nil || rec.Summary.Planned != 1 {
		t.Errorf("unread %v, %+v, %v", unread, rec, err)
	}
}
