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
const maxRecord = 256 << 20

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
	found, err := trialsIn(folder)
	if err != nil {
		return nil, nil, err
	}
	unread = append(unread, found.unread...)
	rec.Leaks = append(rec.Leaks, found.leaks...)
	byID := map[string][]Case{}
	for i := range found.trials {
		t := &found.trials[i]
		rec.span(t)
		byID[t.Case.ID] = inOrder(byID[t.Case.ID], t.Case)
		rec.Spec.Trials = max(rec.Spec.Trials, t.Case.Trial)
	}
	for _, list := range byID {
		if rec.Spec.Trials > 1 {
			list = []Case{Group(list, rec.Spec.Trials, rec.Spec.Partial)}
		}
		rec.Cases = append(rec.Cases, list...)
	}
	rec.Cases = append(rec.Cases, unplanned(old.Cases)...)
	slices.SortStableFunc(rec.Cases, func(a, b Case) int { return strings.Compare(a.ID, b.ID) })
	planned := rec.Summary.Planned
	if planned == 0 { // nobody knows; a folder without a record was begun, whatever became of it
		planned = len(rec.Cases) + len(found.unread)
	}
	rec.Summary = Summarize(rec.Cases, max(planned, len(rec.Cases)))
	rec.Summary.Trials = countTrials(rec.Cases, rec.Summary.Planned, rec.Spec.Trials)
	rec.measure(old.passBar())
	return rec, unread, nil
}

// foundTrials is what there is of a run's trials.
type foundTrials struct {
	trials []TrialRecord // sorted by their folders
	unread []Unread
	names  []string // of all folders, read or not
	leaks  []string // of all records, tries that do not count among them
}

// trialsIn reads the records of a run's trials. A try that another trial says was followed by it is left out; of two of the same trial that know nothing of each
// other the complete one counts, else the later.
func trialsIn(folder string) (*foundTrials, error) {
	entries, err := os.ReadDir(filepath.Join(folder, "trials"))
	if err != nil {
		return nil, &UsageError{Cause: fmt.Errorf("%s is not a run's folder: %w", folder, err)}
	}
	found, trials := &foundTrials{}, []TrialRecord{}
	followed, at := map[string]bool{}, map[trialKey]int{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			continue // those of another tool's form, see report/harbor
		}
		found.names = append(found.names, e.Name())
		path := filepath.Join(folder, "trials", e.Name(), "trial.json")
		var t TrialRecord
		err := readRecord(path, TrialFormat, &t)
		if err == nil && t.Synthetic {
			err = errors.New("it is of a check of the task's tests, and no result")
		}
		if err != nil {
			found.unread = append(found.unread, Unread{Path: path, Reason: err.Error()})
			continue
		}
		for _, try := range t.Case.Tries {
			followed[try.Trial] = true
		}
		trials, found.leaks = append(trials, t), append(found.leaks, t.Leaks...)
	}
	trials = slices.DeleteFunc(trials, func(t TrialRecord) bool { return followed[t.Case.Artifacts.Trial] })
	kept := found.trials
	for _, t := range trials {
		key := trialKey{t.Case.ID, t.Case.Trial}
		i, twice := at[key]
		switch {
		case !twice:
			at[key], kept = len(kept), append(kept, t)
		case kept[i].Case.Status != Complete && (t.Case.Status == Complete || t.StartedAt.After(kept[i].StartedAt)):
			kept[i] = t
		}
	}
	found.trials = kept
	return found, nil
}

// unknown stands for what only a lost run.json knew.
const unknown = "unknown"

// blankRun is a run's record of which nothing but its folder is known.
func blankRun(folder string) *RunRecord {
	return &RunRecord{Format: RunFormat, SchemaVersion: SchemaVersion, RunID: filepath.Base(absolute(folder)), Status: RunInterrupted,
		Tool: Tool{Name: "seatrial", Version: unknown, Commit: unknown}, Runner: RunnerName{Name: "harbor", HarborSchema: harborSchemas()}, Candidate: Candidate{Agent: unknown},
		Spec:        RunSpec{Path: []string{unknown}, Trials: 1, Parallel: 1, Rewards: "task", Timeouts: map[string]any{}, Network: "task", Allow: []string{}, Keep: "never", AgentEnv: []string{}, Args: []string{}},
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
	planned := func(c Case) bool { return c.Artifacts.Trial != "" }
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return planned(c) || slices.ContainsFunc(c.Trials, planned) })
}

// readRecord reads one of our records. Its error is what is wrong with the file, in few words.
func readRecord(path, format string, into any) error {
	f, err := os.Open(path)
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	defer f.Close()
	data, err := readAtMost(f, maxRecord)
	if err != nil {
		return err
	}
	return decodeRecord(data, format, into)
}

// readAtMost reads all of a file that is not larger than most.
func readAtMost(f io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // it names the file
	case int64(len(data)) > most:
		return nil, fmt.Errorf("it is larger than %d MiB", most>>20)
	}
	return data, nil
}

// DecodeTrial reads the text of a trial.json. Its error is what is wrong with it, in few words.
func DecodeTrial(data []byte) (*TrialRecord, error) {
	var t TrialRecord
	if err := decodeRecord(data, TrialFormat, &t); err != nil {
		return nil, err
	}
	return &t, nil
}

// decodeRecord reads the text of one of our records. Its error is what is wrong with it, in few words.
func decodeRecord(data []byte, format string, into any) error {
	if len(data) == 0 {
		return errors.New("it is empty")
	}
	head, err := headOf(data)
	if err != nil {
		return fmt.Errorf("it is cut or not JSON: %w", err)
	}
	if head.Format != format {
		return fmt.Errorf("it is not a record of ours (format %q)", head.Format)
	}
	if head.SchemaVersion > SchemaVersion {
		return fmt.Errorf("it is of schema version %d, and this seatrial knows up to %d: upgrade seatrial", head.SchemaVersion, SchemaVersion)
	}
	err = json.Unmarshal(data, into)
	if errors.As(err, new(*json.SyntaxError)) {
		return fmt.Errorf("it is cut or not JSON: %w", err)
	}
	if err != nil {
		return fmt.Errorf("it does not fit its schema: %w", err)
	}
	return nil
}
