package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seatrial/seatrial/sidecar"
)

// Batch says how the trials of a run go beside and after one another.
type Batch struct {
	// Parallel is how many trials are under way at a time; 0 = 1. Builds is how many images are built or pulled at a time, ahead of the trials; 0 = 2.
	Parallel, Builds int
	// Trials is how many there are of each case; 0 = 1. With AllowPartial a case is complete when one of them is.
	Trials       int
	AllowPartial bool
	// Overcommit scales what processors and memory the engine has for the tasks' declared limits; 0 = their limits do not hold trials back.
	Overcommit float64
	// MaxRetries is how often a trial that the machine kept from a verdict is tried again, and RetryOn the error codes that say so.
	MaxRetries int
	RetryOn    []string
	// FailFast starts nothing more after the first incomplete trial, MaxIncomplete after more than that many; 0 = no bound.
	FailFast      bool
	MaxIncomplete int
	// Deadline is when nothing more is started; zero = never.
	Deadline time.Time
	// HostSlots is how many trials are under way at a time in all processes of this user on this host that have such a bound; 0 = no bound.
	HostSlots int
	// EngineWait is how long an engine that does not answer, or a full disk, is waited for.
	EngineWait time.Duration
}

// RetryCodes are the error codes that say that the machine, rather than the task or the agent, kept a trial from a verdict.
func RetryCodes() []string {
	return []string{CodeSandboxLost, CodeInternal, CodeSetupFailed, CodeSetupTimeout}
}

// ErrorCodes are all error codes that a case can have.
func ErrorCodes() []string {
	return []string{CodeRewardInvalid, CodeContractUnsupported, CodeRewardMissing, CodeNoScores, CodeVerifierError, CodeVerifierTimeout, CodeAgentTimeout, CodeAgentError, CodeSetupFailed,
		CodeSetupTimeout, CodeBuildFailed, CodeSidecarFailed, CodeSandboxLost, CodeTeardownLeak, CodeModelMismatch, CodeArtifactMissing, CodeFakeEvidenceMissing,
		CodeFakeContractViolation, CodeInterrupted, CodeInternal}
}

// buildAhead is how many trials have their images made before there is room for them.
const buildAhead = 4

// errands are the trials of some jobs, in the order in which they are begun: the first ones of all cases before the second ones, and of these those that took
// longest before.
func errands(jobs []Job, b *Batch, names *namer, past map[string]float64) []*errand {
	var all []*errand
	for n := range max(1, b.Trials) {
		for _, j := range jobs {
			all = append(all, &errand{job: j.nth(n, b, names)})
		}
	}
	slices.SortStableFunc(all, func(a, b *errand) int {
		return cmp.Or(cmp.Compare(a.job.trial, b.job.trial), cmp.Compare(past[b.job.caseID()], past[a.job.caseID()]))
	})
	return all
}

// nth is the job's trial with this number, counted from 0.
func (j Job) nth(n int, b *Batch, names *namer) Job {
	if b.Trials > 1 {
		j.trial = n + 1
		j = j.named(names.name(fmt.Sprintf("%s-%d", j.name, n+1)))
	}
	return j
}

// named is the job with another folder for its trial.
func (j Job) named(name string) Job {
	j.name = name
	if j.Plan != nil {
		p := *j.Plan
		p.Folder, p.Trial = name, j.trial
		j.Plan = &p
	}
	return j
}

func (j Job) caseID() string {
	if j.Plan != nil {
		return j.Plan.CaseID
	}
	return j.legacy
}

// run carries out the jobs. A trial that fails, whatever the reason, never stops the next; an interrupt does, and what the batch says.
func (s *session) run(ctx context.Context, jobs []Job) *RunRecord {
	defer s.release()
	defer s.folder.Close()
	b := &s.q.Batch
	all := s.errands(jobs)
	s.opening(all)
	r, unwatch := s.runner(ctx)
	defer unwatch()
	stop := context.AfterFunc(ctx, s.interrupted)
	defer stop()
	q := newQueue(all)
	r.seats.starting = func(ctx context.Context) (context.Context, context.CancelFunc) { return q.starting(ctx, b.Deadline) }
	var workers sync.WaitGroup
	ahead := buildAhead
	if b.Parallel <= 1 {
		ahead = 0
	}
	for range min(len(all), max(1, b.Parallel)+ahead) {
		workers.Go(func() {
			for {
				e, ok := q.next(ctx)
				if !ok {
					return
				}
				s.carry(ctx, r, q, e)
			}
		})
	}
	flushed := s.flushing(ctx)
	workers.Wait()
	flushed()
	s.finish(ctx, q.why())
	return s.rec
}

// carry does one errand, unless nothing more is to be started.
func (s *session) carry(ctx context.Context, r *Runner, q *queue, e *errand) {
	if why := s.hold(ctx); why != "" {
		q.stop(why)
	}
	if q.why() != "" || ctx.Err() != nil {
		q.done()
		return
	}
	s.running.Add(1)
	rec := s.one(ctx, r, e)
	s.running.Add(-1)
	if rec.unstarted {
		q.done() // it is missing
		return
	}
	if again := s.retry(ctx, e, rec); again != nil {
		s.emit(Event{Kind: OnTrialRetried, Time: time.Now(), Trial: e.job.name, CaseID: e.job.caseID(), Text: fmt.Sprintf("%s: %s; it is tried again, %d of %d, in %s", e.job.name, rec.Case.Error.Code,
			len(again.tries), s.q.Batch.MaxRetries, time.Until(again.due).Round(time.Second))})
		s.queued(again)
		s.superseded(rec)
		q.again(again)
		return
	}
	s.add(e.job, rec)
	if why := s.enough(rec); why != "" {
		q.stop(why)
	}
	q.done()
}

// retry says whether a trial is to be tried again, and when.
func (s *session) retry(ctx context.Context, e *errand, rec *TrialRecord) *errand {
	b, f := &s.q.Batch, rec.Case.Error
	codes := b.RetryOn
	if len(codes) == 0 {
		codes = RetryCodes()
		if f != nil && f.Code == CodeSetupFailed && f.Exit != nil {
			return nil // something of the task's own ended by itself: it would again
		}
	}
	if f == nil || len(e.tries) >= b.MaxRetries || ctx.Err() != nil || e.job.Err != nil || !slices.Contains(codes, f.Code) {
		return nil
	}
	try := Try{Code: f.Code, Phase: f.Phase, Message: f.Message, Trial: rec.Case.Artifacts.Trial, Seconds: rec.Case.Timing.Total}
	s.naming.Lock()
	name := s.names.name(strings.TrimSuffix(e.job.name, fmt.Sprintf("-r%d", len(e.tries))) + fmt.Sprintf("-r%d", len(e.tries)+1))
	s.naming.Unlock()
	next := &errand{job: e.job.named(name), tries: append(slices.Clone(e.tries), try), due: time.Now().Add(backOff(len(e.tries)))}
	next.job.Plan.Tries = next.tries
	return next
}

// backOff grows from five seconds to five minutes.
func backOff(tries int) time.Duration {
	return min(5*time.Minute, 5*time.Second<<min(tries, 10)) //nolint:gosec // a small number
}

// enough says why nothing more is to be started after a trial, or nothing.
func (s *session) enough(rec *TrialRecord) string {
	b := &s.q.Batch
	if rec.Case.Status == Complete {
		return ""
	}
	n := int(s.incomplete.Add(1))
	switch {
	case b.FailFast:
		return "--fail-fast: " + rec.Case.ID + " is incomplete"
	case b.MaxIncomplete > 0 && n > b.MaxIncomplete:
		return fmt.Sprintf("--max-incomplete %d: %d trials are incomplete", b.MaxIncomplete, n)
	}
	return ""
}

// engineGone begins the reason for which a run was stopped whose engine, or the room for its records, was gone.
const engineGone = "--engine-wait"

// hold waits while the engine does not answer or the disk is full, and says why nothing more is to be started, or nothing.
func (s *session) hold(ctx context.Context) string {
	b := &s.q.Batch
	if !b.Deadline.IsZero() && !time.Now().Before(b.Deadline) {
		return "--deadline: it is past " + b.Deadline.Format(time.RFC3339)
	}
	if b.Parallel <= 1 && b.EngineWait == 0 {
		return ""
	}
	s.holding.Lock() // one asks for all
	defer s.holding.Unlock()
	began, told := time.Now(), false
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		err := s.fit(ctx)
		if err == nil || ctx.Err() != nil {
			if told {
				s.emit(Event{Kind: OnResumed, Time: time.Now(), Text: "going on"})
			}
			return ""
		}
		if time.Since(began) >= b.EngineWait {
			return engineGone + " " + b.EngineWait.String() + ": " + strings.TrimSpace(err.Error())
		}
		if !told {
			told = true
			s.emit(Event{Kind: OnPaused, Time: time.Now(), Failed: true, Text: fmt.Sprintf("nothing is started for now, for at most %s: %v", b.EngineWait, err)})
		}
		if pause(ctx, wait) != nil {
			return ""
		}
	}
}

// fit says whether trials can be begun. An answer counts for a few seconds.
func (s *session) fit(ctx context.Context) error {
	const fresh = 5 * time.Second
	if time.Since(s.asked) < fresh {
		return nil
	}
	if err := fitNow(ctx, s.conn, sidecar.Room{RunsDir: s.q.RunsDir, MinFree: s.q.MinFree}); err != nil {
		return err
	}
	s.asked = time.Now()
	return nil
}
