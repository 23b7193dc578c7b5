package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/mask"
	"github.com/seatrial/seatrial/verifier"
)

// Runner carries out plans, one trial each.
type Runner struct {
	Engine Engine
	Folder *Folder
	Owner  sidecar.Owner
	Keep   string // "", "failed" or "always"
	// KeepFor is how long; 0 = until somebody removes it.
	KeepFor time.Duration
	// Look pauses the trial for a look inside; nil = it does not.
	Look *Look
	Tool Tool
	// Synthetic marks the records of trials that are no results.
	Synthetic bool
	Surroundings
	crowd *crowd
	// seats hand out room; nil = there always is.
	seats *seats
	// Tell hears what happens. It may be called from several goroutines.
	Tell func(Event)
}

// trial is the state of one plan being carried out.
type trial struct {
	*Runner
	plan *Plan
	id   string
	rec  *TrialRecord
	dir  *TrialDir
	log  *slog.Logger
	mask *mask.Masker

	work     *site    // the agent's
	step     *step    // the current one; nil before the first
	aparts   []*apart // by step; nil where the tests run in the agent's stack
	verdicts []verifier.StepVerdict

	frozen bool     // the fakes' whole evidence was fetched, or it was tried
	begun  []string // stacks of which something may have been made on the engine
	tally  Tally    // of its requests
	leave  func()   // gives the room back
	done   []func() // says of its images that they are not needed any more
	queued time.Duration
	paused time.Duration // for looks inside

	among    *neighbour                // nil before there was room for it
	locked   map[string]lockfile.Image // by the names that the record has for services
	captures []lockfile.Capture
}

// Trial carries out plan p, always leaves the engine as it found it, and returns when the trial's record is at its place. The record is never
// nil; the error says that it could not be written.
func (r *Runner) Trial(ctx context.Context, p *Plan) (*TrialRecord, error) {
	t := &trial{Runner: r, plan: p, locked: map[string]lockfile.Image{}, id: p.Folder + "-" + sidecar.RandomID(8), mask: mask.NewMasker(p.Secrets)}
	defer t.letGo()
	started := time.Now()
	ctx, t.tally = r.Engine.Counted(ctx)
	t.rec = newTrialRecord(r, p, t.id, started)
	t.work = &site{trial: t, name: t.id, spec: p.Spec, folder: p.Workdir, env: p.Env, gate: p.Gate, images: map[string]imageFacts{}}
	for i := range p.Steps {
		t.aparts = append(t.aparts, t.newApart(i))
	}
	for _, w := range p.Warnings {
		t.warn(w.Code, w.Message)
	}
	dir, err := r.Folder.Trial(p.Folder, p.MultiStep())
	if err != nil {
		t.fail(PhaseBuild, &PhaseError{Phase: PhaseBuild, Cause: err})
		t.finish(started)
		t.told()
		return t.rec, err
	}
	t.dir = dir
	defer dir.Close()
	t.log = dir.Logger(t.mask)
	t.tell(Event{Kind: OnTrialStarted})
	t.log.Info("trial", "task", p.Task.Dir, "agent", p.Agent.String(), "checksum", p.Checksum)
	copied := t.copied()
	t.carryOut(ctx)
	t.lastLook(ctx)
	t.tearDown(ctx)
	if t.rec.unstarted {
		t.tell(Event{Kind: OnTrialFinished})
		return t.rec, nil
	}
	t.artifacts()
	t.writeLock(copied)
	t.finish(started)
	err = dir.WriteRecord(t.rec)
	t.told()
	return t.rec, err
}

// carryOut reads as a trial goes: images, stack, then agent and verifier, once for each step. The first phase that fails ends it.
func (t *trial) carryOut(ctx context.Context) {
	if t.imaged(ctx) && t.seated(ctx) && t.phase(ctx, PhaseStart, t.start) {
		t.steps(ctx)
	}
	t.conclude()
}

// phase runs one phase under its limit and says whether the trial goes on.
func (t *trial) phase(ctx context.Context, phase Phase, fn func(context.Context) error) bool {
	t.tell(Event{Kind: OnPhaseStarted, Phase: phase})
	l := t.limit(phase)
	if phase == PhaseAgent || phase == PhaseVerifier {
		l.Slack = t.step.plan.scoringSlack(l) // the limit proper is enforced inside the container, to the millisecond
	}
	took, err := in(ctx, l, fn)
	t.timing(phase, took)
	t.tell(Event{Kind: OnPhaseFinished, Phase: phase, Seconds: took.Seconds(), Failed: err != nil})
	t.log.Info("phase", "phase", phase, "step", t.stepName(), "seconds", took.Seconds(), "error", err)
	if err != nil {
		t.fail(phase, err)
	}
	return t.rec.Case.Error == nil
}

// limit is a phase's in the current step.
func (t *trial) limit(phase Phase) Limit {
	if t.step != nil {
		if l, ok := t.step.plan.Limits[phase]; ok {
			return l
		}
	}
	return t.plan.Limits[phase]
}

// stepName is the current step's, or empty.
func (t *trial) stepName() string {
	if t.step == nil {
		return ""
	}
	return t.step.plan.Part.Name
}

// told says that the trial has ended. Nothing of it is on the engine any more, unless the record says so.
func (t *trial) told() {
	t.tell(Event{Kind: OnTrialFinished, Case: &t.rec.Case, Seconds: t.rec.Case.Timing.Total})
}

// phaseSlack is for what surrounds a command: moving files, the kill, the engine's own time.
const phaseSlack = time.Minute

// tearDown removes the stack whatever happened, on a context of its own. What cannot be removed is recorded beside the outcome and never
// replaces it.
func (t *trial) tearDown(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if t.leave != nil {
		t.leave()
	}
	t.tell(Event{Kind: OnPhaseStarted, Phase: PhaseTeardown})
	t.gateLogs(ctx)
	for _, s := range t.sites() {
		s.box.Leave()
	}
	keep := t.wantsKeep() && t.keep(ctx)
	var took time.Duration
	var err error
	if len(t.begun) > 0 && !keep { // where nothing can have been made, an engine that is gone leaves nothing
		took, err = in(ctx, t.plan.Limits[PhaseTeardown], t.remove)
	}
	t.log.Info("phase", "phase", PhaseTeardown, "seconds", took.Seconds(), "error", err)
	t.timing(PhaseTeardown, took)
	t.tell(Event{Kind: OnPhaseFinished, Phase: PhaseTeardown, Seconds: took.Seconds(), Failed: err != nil})
	if err != nil {
		t.leak(err)
		return
	}
	if keep {
		t.rec.Kept = true
		for _, s := range t.sites() {
			t.tell(Event{Kind: OnNote, Text: s.keptHow()})
		}
	}
}

// remove removes all stacks of the trial, each however the others fare.
func (t *trial) remove(ctx context.Context) error {
	errs := make([]error, len(t.begun))
	var wg sync.WaitGroup
	for i, name := range t.begun {
		wg.Go(func() { errs[i] = t.Engine.Down(ctx, name) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// sites are the stacks that are up.
func (t *trial) sites() []*site {
	var up []*site
	if t.work.box != nil {
		up = append(up, t.work)
	}
	if t.step != nil && t.step.apart != nil && t.step.apart.box != nil {
		up = append(up, &t.step.apart.site)
	}
	return up
}

// unknownLeak begins what is said of leftovers that the engine did not list.
const unknownLeak = "unknown: "

func (t *trial) leak(err error) {
	var leak *sidecar.LeakError
	if errors.As(err, &leak) && len(leak.Left) > 0 {
		t.rec.Leaks = append(t.rec.Leaks, leak.Left...)
	} else {
		t.rec.Leaks = append(t.rec.Leaks, unknownLeak+err.Error())
	}
	for i := range t.rec.Leaks {
		t.rec.Leaks[i] = t.mask.String(t.rec.Leaks[i])
	}
	t.warn(CodeTeardownLeak, err.Error())
	t.log.Error("teardown", "error", err)
}

func (t *trial) warn(code, message string) {
	t.rec.Case.Warnings = append(t.rec.Case.Warnings, Warning{Code: code, Message: t.mask.String(message)})
}

func (t *trial) warned(code string) bool {
	return slices.ContainsFunc(t.rec.Case.Warnings, func(w Warning) bool { return w.Code == code })
}

func (t *trial) tell(e Event) {
	e.Time, e.Trial, e.CaseID, e.Step = time.Now(), t.plan.Folder, t.plan.CaseID, t.stepName()
	e.Text = t.mask.String(e.Text)
	if t.Synthetic {
		e.StandIn = t.plan.Agent.String()
	}
	t.Tell(e)
}
