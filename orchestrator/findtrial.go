package orchestrator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
	"github.com/seatrial/seatrial/internal/regular"
)

// TrialPlace is a recorded trial and where it lies.
type TrialPlace struct {
	Run    string // the run's folder, absolute
	Name   string // of the trial's folder below its trials
	Record *TrialRecord
}

// Folder is the trial's folder.
func (p *TrialPlace) Folder() string { return filepath.Join(p.Run, "trials", p.Name) }

// DefaultRunsDir is where runs are kept when nothing else is said.
const DefaultRunsDir = "eval-runs"

// FindTrial finds a trial by the path of its folder (RUN/trials/NAME, or its trial.json) or by the short form RUN/NAME, where RUN is a run's folder or, in the folder of
// runs, its id. A case of which the run has one trial may stand for NAME. The error is a *UsageError that says what there is.
func FindTrial(arg string) (*TrialPlace, error) {
	fail := func(format string, a ...any) (*TrialPlace, error) {
		return nil, &UsageError{Cause: fmt.Errorf(format, a...)}
	}
	given := absolute(strings.TrimSuffix(filepath.ToSlash(arg), "/trial.json"))
	dir, name := filepath.Dir(given), filepath.Base(given)
	if filepath.Base(dir) == "trials" {
		dir = filepath.Dir(dir)
	} else if !isRun(dir) && !filepath.IsAbs(arg) && isRun(filepath.Join(DefaultRunsDir, path.Dir(filepath.ToSlash(arg)))) {
		dir = absolute(filepath.Join(DefaultRunsDir, path.Dir(filepath.ToSlash(arg))))
	}
	if !isRun(dir) {
		if isRun(given) {
			return fail("%s is a run; name one of its trials, as in %s/%s", arg, strings.TrimSuffix(arg, "/"), firstTrial(given))
		}
		return fail("%s is no trial: want the path of a trial's folder, or RUN/TRIAL with the folder or the id of a run", arg)
	}
	p := &TrialPlace{Run: dir, Name: name}
	rec, err := ReadTrial(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return trialOfCase(dir, name)
	}
	if err != nil {
		return fail("%s: trial.json cannot be used: %w", p.Folder(), bare(err))
	}
	p.Record = rec
	return p, nil
}

// isRun says whether a folder is that of a run.
func isRun(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, "trials"))
	return err == nil && st.IsDir()
}

// ReadTrial reads the record of the trial that a folder of a run holds. No link below the run's folder is followed out of it.
func ReadTrial(run, name string) (*TrialRecord, error) {
	root, err := os.OpenRoot(filepath.Join(run, "trials"))
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the folder
	}
	defer root.Close()
	data, err := regular.ReadIn(root, path.Join(name, "trial.json"), maxRecord)
	if err != nil {
		return nil, err
	}
	return DecodeTrial(data)
}

// trialOfCase is the one trial of a case in a run.
func trialOfCase(run, id string) (*TrialPlace, error) {
	all, err := trialsIn(run)
	if err != nil {
		return nil, err
	}
	var of []*TrialRecord
	found, known := all.trials, all.names
	for i := range found {
		known = append(known, found[i].Case.ID)
		if found[i].Case.ID == id {
			of = append(of, &found[i])
		}
	}
	switch len(of) {
	case 1:
		p := &TrialPlace{Run: run, Name: path.Base(of[0].Case.Artifacts.Trial), Record: of[0]}
		if again, err := ReadTrial(run, p.Name); err != nil || again.TrialID != of[0].TrialID {
			return nil, &UsageError{Cause: fmt.Errorf("run %s: the record of case %s says of itself that it lies in %q, and does not", filepath.Base(run), id, of[0].Case.Artifacts.Trial)}
		}
		return p, nil
	case 0:
		text := fmt.Sprintf("run %s has no trial %s", filepath.Base(run), id)
		if near := nearest.Of(id, known); near != "" {
			text += "; did you mean " + near + "?"
		} else if names := all.names; len(names) > 0 {
			text += "; it has " + someOf(names)
		}
		return nil, &UsageError{Cause: errors.New(text)}
	}
	var which []string
	for _, t := range of {
		which = append(which, path.Base(t.Case.Artifacts.Trial))
	}
	return nil, &UsageError{Cause: fmt.Errorf("case %s has several trials in run %s: %s", id, filepath.Base(run), someOf(which))}
}

// someOf lists the first few of some names.
func someOf(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// firstTrial is the name of a run's first trial, for messages.
func firstTrial(run string) string {
	if entries, err := os.ReadDir(filepath.Join(run, "trials")); err == nil {
		for _, e := range entries {
			if e.IsDir() {
				return e.Name()
			}
		}
	}
	return "TRIAL"
}
