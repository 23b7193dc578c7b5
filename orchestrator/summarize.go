package orchestrator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxRecord bounds a record that is read, in bytes.
const maxRecord = 64 << 20

// Unread is a trial's folder whose record cannot be used, and why.
type Unread struct {
	Path   string
	Reason string
}

// Rebuild makes a run's record anew from the records of its trials, for a run that was killed before it could. What stands in run.json besides the cases is
// kept where run.json can be read. Trials whose record is missing, cut, foreign or of a newer version are listed and count as missing.
func Rebuild(folder string) (*RunRecord, []Unread, error) {
	rec := blankRun(folder)
	var unread []Unread
	var old RunRecord
	switch err := readRecord(filepath.Join(folder, "run.json"), RunFormat, &old); {
	case err == nil:
		planned, status := old.Summary.Planned, old.Status
		*rec = old
		rec.Cases, rec.Leaks = []Case{}, []string{}
		rec.Summary.Planned = planned
		if status == RunRunning {
			rec.Status = RunInterrupted
		}
	case !errors.Is(err, fs.ErrNotExist):
		unread = append(unread, Unread{Path: filepath.Join(folder, "run.json"), Reason: err.Error()})
	}
	entries, err := os.ReadDir(filepath.Join(folder, "trials"))
	if err != nil {
		return nil, nil, &UsageError{Cause: fmt.Errorf("%s is not a run's folder: %w", folder, err)}
	}
	for _, e := range entries {
		path := filepath.Join(folder, "trials", e.Name(), "trial.json")
		var t TrialRecord
		if err := readRecord(path, TrialFormat, &t); err != nil {
			unread = append(unread, Unread{Path: path, Reason: err.Error()})
			continue
		}
		rec.Cases, rec.Leaks = append(rec.Cases, t.Case), append(rec.Leaks, t.Leaks...)
		rec.span(&t)
	}
	rec.Cases = append(rec.Cases, unplanned(old.Cases)...)
	slices.SortStableFunc(rec.Cases, func(a, b Case) int { return strings.Compare(a.ID, b.ID) })
	rec.Summary = Summarize(rec.Cases, max(rec.Summary.Planned, len(entries)))
	return rec, unread, nil
}

// unknown stands for what only a lost run.json knew.
const unknown = "unknown"

// blankRun is a run's record of which nothing but its folder is known.
func blankRun(folder string) *RunRecord {
	return &RunRecord{Format: RunFormat, SchemaVersion: SchemaVersion, RunID: filepath.Base(absolute(folder)), Status: RunInterrupted,
		Tool: Tool{Name: "seatrial", Version: unknown, Commit: unknown}, Runner: RunnerName{Name: "harbor", HarborSchema: harborSchemas()}, Candidate: Candidate{Agent: unknown},
		Spec:        RunSpec{Path: []string{unknown}, Trials: 1, Rewards: "task", Timeouts: map[string]any{}, Network: "task", Allow: []string{}, Keep: "never", AgentEnv: []string{}, Args: []string{}},
		Environment: Environment{Docker: unknown, API: "0.0", Engine: unknown, Host: unknown, HostSource: unknown, OS: "linux", Arch: unknown, Kernel: unknown, Images: map[string]string{}},
		Cases:       []Case{}, Leaks: []string{}}
}

// span widens the run's time by a trial's, and takes from the trial which program ran it, where run.json does not say.
func (r *RunRecord) span(t *TrialRecord) {
	if r.Tool.Version == unknown {
		r.Tool = t.Tool
	}
	if r.StartedAt.IsZero() || t.StartedAt.Before(r.StartedAt) {
		r.StartedAt = t.StartedAt
	}
	if r.FinishedAt == nil || t.FinishedAt.After(*r.FinishedAt) {
		r.FinishedAt = &t.FinishedAt
	}
}

// unplanned are the cases without a trial's folder: tasks that could not be planned.
func unplanned(cases []Case) []Case {
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return c.Artifacts.Trial != "" })
}

// readRecord reads one of our records. Its error is what is wrong with the file, in few words.
func readRecord(path, format string, into any) error {
	f, err := os.Open(path)
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	switch {
	case err != nil:
		return err //nolint:wrapcheck // it names the file
	case len(data) == 0:
		return errors.New("it is empty")
	case len(data) > maxRecord:
		return fmt.Errorf("it is larger than %d MiB", maxRecord>>20)
	}
	var head struct {
		Format        string `json:"format"`
		SchemaVersion int    `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("it is cut or not JSON: %w", err)
	}
	if head.Format != format {
		return fmt.Errorf("it is not a record of ours (format %q)", head.Format)
	}
	if head.SchemaVersion > SchemaVersion {
		return fmt.Errorf("it is of schema version %d, and this seatrial knows up to %d: upgrade seatrial", head.SchemaVersion, SchemaVersion)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("it does not fit its schema: %w", err)
	}
	return nil
}
