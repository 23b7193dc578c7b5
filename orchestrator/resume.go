package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
	"github.com/seatrial/seatrial/sidecar"
)

// ResumeError says why a run cannot be gone on with as asked. Nothing ran.
type ResumeError struct {
	Run string
	// Why is set when it is about the run as a whole; else Changed lists what is not as it was.
	Why     string
	Changed []string
}

func (e *ResumeError) Error() string {
	if e.Why != "" {
		return "run " + e.Run + " cannot be gone on with: " + e.Why
	}
	return "run " + e.Run + " cannot be gone on with as it was: " + strings.Join(e.Changed, "; ") + "; with --rerun-changed these are run anew"
}

// earlier is what a run has come to before it was interrupted.
type earlier struct {
	rec    *RunRecord
	trials map[trialKey]*TrialRecord
	// folders are the names of all trials' folders.
	folders []string
}

// trialKey is a trial of a run: a case, and which of its trials.
type trialKey struct {
	id    string
	trial int
}

// readRun reads a run's folder in order to go on with it.
func readRun(folder string) (*earlier, error) {
	e := &earlier{trials: map[trialKey]*TrialRecord{}}
	var err error
	if e.rec, _, err = Rebuild(folder); err != nil {
		return nil, err
	}
	if e.rec.Tool.Version == unknown && len(e.rec.Cases) == 0 {
		return nil, &ResumeError{Run: folder, Why: "there is neither a run.json that can be read nor the record of a trial"}
	}
	found, err := trialsIn(folder)
	if err != nil {
		return nil, err
	}
	e.folders = found.names
	for i := range found.trials {
		t := &found.trials[i]
		e.trials[trialKey{t.Case.ID, t.Case.Trial}] = t
	}
	return e, nil
}

// differs lists what the run was asked for otherwise than it is now.
func (e *earlier) differs(now *RunRecord) []string {
	var out []string
	old := e.rec
	say := func(what string, was, is any) {
		if fmt.Sprint(was) != fmt.Sprint(is) {
			out = append(out, fmt.Sprintf("%s was %v and is %v", what, was, is))
		}
	}
	say("the agent", old.Candidate.Agent, now.Candidate.Agent)
	say("the agent's version", old.Candidate.Version, now.Candidate.Version)
	say("the model", text(old.Candidate.Model), text(now.Candidate.Model))
	say("-k", old.Spec.Trials, now.Spec.Trials)
	say("--rewards", old.Spec.Rewards, now.Spec.Rewards)
	say("--fresh-steps", old.Spec.FreshSteps, now.Spec.FreshSteps)
	say("the limits", old.Spec.Timeouts, now.Spec.Timeouts)
	say("--allow", old.Spec.Allow, now.Spec.Allow)
	say("the choice of tasks", chosen(&old.Spec), chosen(&now.Spec))
	return out
}

// chosen is which tasks a run took, in words.
func chosen(s *RunSpec) string {
	if s.Selection == nil {
		return "all"
	}
	return fmt.Sprintf("%+v", *s.Selection)
}

func text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

// remaining are the errands that are left: those whose trial is missing or incomplete, the latter with what it came to as an earlier try. kept are the trials that
// stay. changed lists complete trials of tasks that are not what they were; they stay as well, unless they are to be run anew.
func (e *earlier) remaining(all []*errand, names *namer, anew bool) (left []*errand, kept []*TrialRecord, changed []string) {
	there := map[string]bool{}
	for _, f := range e.folders {
		names.used[f], there[f] = true, true
	}
	for _, er := range all {
		old := e.trials[trialKey{er.job.caseID(), er.job.trial}]
		delete(e.trials, trialKey{er.job.caseID(), er.job.trial})
		if old == nil {
			if there[er.job.name] { // it was begun, and has no record
				er.job = er.job.named(names.name(er.job.name))
			}
			left = append(left, er)
			continue
		}
		other := er.job.Plan != nil && old.Case.Task.Checksum != er.job.Plan.Checksum
		if old.Case.Status == Complete && other && !anew {
			changed = append(changed, fmt.Sprintf("the task %s has changed since its trial %s", er.job.shownDir(), old.TrialID))
		}
		if old.Case.Status == Complete && (!other || !anew) {
			kept = append(kept, old)
			continue
		}
		left = append(left, er.after(old, names))
	}
	for _, old := range e.trials { // of tasks that are not there any more
		kept = append(kept, old)
	}
	slices.SortFunc(kept, func(a, b *TrialRecord) int { return a.StartedAt.Compare(b.StartedAt) })
	return left, kept, changed
}

// after is the errand in a folder of its own, with an earlier trial as a try.
func (er *errand) after(old *TrialRecord, names *namer) *errand {
	try := Try{Code: "complete", Phase: "rewards", Message: "the task has changed since", Trial: old.Case.Artifacts.Trial, Seconds: old.Case.Timing.Total}
	if f := old.Case.Error; f != nil {
		try.Code, try.Phase, try.Message = f.Code, f.Phase, f.Message
	}
	next := &errand{job: er.job.named(names.name(er.job.name)), tries: append(slices.Clone(old.Case.Tries), try)}
	if next.job.Plan != nil {
		next.job.Plan.Tries = next.tries
	}
	return next
}

// goOn makes a session one that goes on with an earlier run: its record, its folder, and the trials that are left.
func (s *session) goOn(jobs []Job) error {
	e, err := readRun(s.folder.Path)
	if err != nil {
		return err
	}
	if diff := e.differs(s.rec); len(diff) > 0 {
		return &ResumeError{Run: s.folder.RunID, Why: strings.Join(diff, "; ")}
	}
	all := errands(jobs, &s.q.Batch, s.names, durations(s.q, len(jobs)))
	left, kept, changed := e.remaining(all, s.names, s.q.RerunChanged)
	if len(changed) > 0 {
		return &ResumeError{Run: s.folder.RunID, Changed: changed}
	}
	s.rec.StartedAt, s.rec.EngineCalls, s.rec.EngineRetries = e.rec.StartedAt, e.rec.EngineCalls, e.rec.EngineRetries
	s.rec.Environment.Images = e.rec.Environment.Images
	s.rec.Spec.Args, s.rec.Spec.Path, s.rec.Spec.Directory = e.rec.Spec.Args, e.rec.Spec.Path, e.rec.Spec.Directory
	s.calledBefore, s.leftBefore = e.rec.EngineCalls, e.rec.Leaks
	s.remaining = left
	for _, k := range kept {
		s.book.add(Job{}, k)
	}
	if n := len(all) - len(left); n > 0 || len(kept) > 0 {
		s.stays = fmt.Sprintf("%d of %d trials are complete and stay as they are; %d are left", n, len(all), len(left))
	}
	return nil
}

// stillLeft is what an earlier part of the run had left behind and nothing has removed since; where the engine does not say, all of it.
func (s *session) stillLeft(ctx context.Context) []string {
	if len(s.leftBefore) == 0 {
		return []string{}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineAnswer)
	defer cancel()
	list, err := s.conn.List(ctx, sidecar.Selector{Run: s.folder.RunID})
	if err != nil {
		return s.leftBefore
	}
	return slices.DeleteFunc(slices.Clone(s.leftBefore), func(l string) bool {
		return !slices.ContainsFunc(list, func(o sidecar.Object) bool { return o.String() == l || strings.HasPrefix(l, unknownLeak) })
	})
}

// holdRun keeps other processes from working on a run at the same time.
func holdRun(ctx context.Context, folder string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	release, err = lock.Hold(ctx, nil, "run", absolute(folder))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &ResumeError{Run: folder, Why: "another seatrial is at work on it"}
	case err != nil:
		return nil, fmt.Errorf("run %s: %w", folder, err)
	}
	return release, nil
}

// OpenFolder opens the folder of a run that is there.
func OpenFolder(path string) (*Folder, error) {
	abs := absolute(path)
	if info, err := os.Stat(filepath.Join(abs, "trials")); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a run's folder: it holds no trials", path)
	}
	f := &Folder{Path: abs, RunID: filepath.Base(abs), copies: copies{run: abs}}
	var err error
	if f.events, err = os.OpenFile(filepath.Join(abs, "events.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	return f, nil
}
