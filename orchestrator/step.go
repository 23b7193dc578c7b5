package orchestrator

import (
	"context"
	"fmt"
	"io"
	"path"

	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/verifier"
)

// step is the state of one run of the agent and its grading. A task without steps has one, without a name.
type step struct {
	plan    *StepPlan
	facts   *StepFacts  // in the trial's record
	result  *StepResult // in the case's
	verdict *verifier.Verdict
	rewards rewardsFound
	fetched bool // the log folders have been fetched, or it was tried
	apart   *apart
	kept    []kept  // what became of the artifacts
	counted bool    // the trajectory
	model   *string // as it says
	judged  bool    // the verifier's folder was fetched, or it was tried
	// pending is to be done before the next command in the agent's container.
	pending []shim.Prep
}

// host is a path below the trial's folder for a file of the step.
func (s *step) host(elem ...string) string {
	return path.Join(append([]string{s.plan.Folder()}, elem...)...)
}

// takePending hands over what is to be done before the next command; before the first step that is nothing.
func (s *step) takePending() []shim.Prep {
	if s == nil {
		return nil
	}
	p := s.pending
	s.pending = nil
	return p
}

// begin makes the step with this index the current one.
func (t *trial) begin(i int) error {
	p := &t.plan.Steps[i]
	s := &step{plan: p, facts: &t.rec.StepFacts, result: &StepResult{Name: p.Part.Name, Status: Incomplete, Scores: []verifier.Score{}}}
	if t.plan.MultiStep() {
		t.rec.Steps[i].StepFacts = StepFacts{TestsDigest: p.TestsDigest}
		s.facts, s.result = &t.rec.Steps[i].StepFacts, &t.rec.Case.Steps[i]
		s.result.Status = Incomplete
	}
	s.facts.TestsDigest = p.TestsDigest
	if i > 0 {
		s.pending = t.plan.cleared()
	}
	s.apart = t.aparts[i]
	t.step = s
	if t.plan.MultiStep() {
		return t.dir.MakeStep(p.Folder())
	}
	return nil
}

// turn ends a step that another follows: a stack of its own for the tests goes, and the agent's goes on.
func (t *trial) turn(ctx context.Context) error {
	a := t.step.apart
	a.gateLog(ctx, t.step.host("egress-verifier.jsonl"))
	a.box.Leave()
	if err := t.Engine.Down(ctx, a.name); err != nil {
		return fmt.Errorf("remove the verifier's environment: %w", err)
	}
	t.removed(a.name)
	a.box = nil
	return t.resume(ctx)
}

// cleared takes from the agent's container what an earlier step's tests, solution and logs were.
func (p *Plan) cleared() []shim.Prep {
	ops := []shim.Prep{{Op: "remove", Path: "/tests"}, {Op: "remove", Path: "/solution"},
		{Op: "empty", Path: "/logs/agent", Mode: 0o777}, {Op: "empty", Path: "/logs/artifacts", Mode: 0o777}, {Op: "empty", Path: "/logs/verifier", Mode: 0o777}}
	if p.Agent.File != nil && p.Agent.File.Run.Trajectory != "" && (p.FreshSteps || p.Agent.File.Run.Continue == "") {
		ops = append(ops, shim.Prep{Op: "remove", Path: p.Agent.File.Run.Trajectory}) // a step that writes none must not be given the one before's
	}
	return ops
}

// steps plays the steps in their order. The first that cannot be judged ends the case; one that does not reach its least reward leaves out the rest, which is
// no error.
func (t *trial) steps(ctx context.Context) {
	for i := range t.plan.Steps {
		if i > 0 && t.step.apart != nil && !t.phase(ctx, PhaseTeardown, t.turn) {
			return
		}
		if err := t.begin(i); err != nil {
			t.fail(PhasePrepare, err)
			return
		}
		if !t.play(ctx) {
			t.salvage(ctx)
			return
		}
		if i+1 == len(t.plan.Steps) {
			return
		}
		if why := verifier.Unmet(*t.step.verdict, t.step.plan.MinReward); why != "" {
			t.warn("min_reward", fmt.Sprintf("step %s ended the task before its end: %s", t.step.plan.Part.Name, why))
			if t.plan.Fakes != nil && !t.frozen && (t.step.apart == nil || t.phase(ctx, PhaseTeardown, t.turn)) {
				t.phase(ctx, PhaseCollect, t.freezeFakes)
			}
			return
		}
	}
}

// play reads as a step goes. An agent which failed or was cut off is graded all the same.
func (t *trial) play(ctx context.Context) bool {
	for _, s := range []struct {
		phase Phase
		run   func(context.Context) error
		off   bool
	}{
		{PhasePrepare, t.prepare, !t.prepares()},
		{PhaseAgent, t.agent, false},
		{PhaseCollect, t.capture, !t.wantsCapture()},
		{PhaseCollect, t.gather, !t.gathers()},
		{PhaseStart, t.setApart, t.step.plan.Grader == nil},
		{PhaseVerifier, t.grade, false},
		{PhaseCollect, t.collect, false},
		{PhaseRewards, t.judge, false},
	} {
		if s.off {
			continue
		}
		t.lookBefore(ctx, s.phase)
		if !t.phase(ctx, s.phase, s.run) {
			return false
		}
	}
	return true
}

// conclude makes the case's verdict of those of its steps.
func (t *trial) conclude() {
	c := &t.rec.Case
	if t.step == nil || c.Error != nil {
		return
	}
	if !t.plan.MultiStep() {
		r := t.step.result
		c.ContractVersion, c.Score, c.ScoreDerived, c.Scores, c.Status = r.ContractVersion, r.Score, r.ScoreDerived, r.Scores, Complete
		return
	}
	opt := verifier.RollUpOptions{Final: t.plan.FinalStep, Harbor: t.plan.Harbor}
	if t.plan.MeanOfDeclared {
		opt.Declared = len(t.plan.Steps)
	}
	v := verifier.RollUp(t.verdicts, opt)
	for _, w := range v.Warnings {
		t.warn(w.Code, w.Message)
	}
	c.ContractVersion, c.Score, c.ScoreDerived, c.Scores, c.Status = v.ContractVersion, v.Score, v.Derived, v.Scores, Complete
}

// flush does what is pending, where no agent came to do it first: it must not be taken for this step's.
func (t *trial) flush(ctx context.Context) error {
	if len(t.step.pending) == 0 {
		return nil
	}
	c := t.work.command(shim.Spec{LimitMS: 60_000}, nil, io.Discard, io.Discard)
	if err := t.work.prepareFirst(ctx, &c); err != nil {
		return err
	}
	res, err := t.work.box.Run(ctx, c)
	if err != nil {
		return err
	}
	if res.Start != nil {
		return fmt.Errorf("clear the agent's container: %s", res.Start.Detail)
	}
	return nil
}
