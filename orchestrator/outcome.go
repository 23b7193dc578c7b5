package orchestrator

import (
	"errors"
	"fmt"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/verifier"
)

// InterruptedError is the cause of a context that a signal ended.
type InterruptedError struct{ Signal string }

func (e *InterruptedError) Error() string { return "interrupted by " + e.Signal }

// fail records why a phase failed, unless an earlier reason is there.
func (t *trial) fail(phase Phase, err error) { t.setFault(Classify(phase, err)) }

func (t *trial) setFault(f *Fault) {
	c := &t.rec.Case
	if c.Error != nil {
		return
	}
	if t.step != nil && t.plan.MultiStep() {
		f.Task = t.stepName()
	}
	f.Message = t.mask.String(f.Message)
	f.Hint = t.mask.String(f.Hint)
	for i := range f.Lines {
		f.Lines[i] = t.mask.String(f.Lines[i])
	}
	c.Status, c.Error, c.Score, c.ScoreDerived, c.Scores = Incomplete, f, nil, false, []verifier.Score{}
	if f.Task != "" {
		own, r := *f, t.step.result // the step's own, which need not say where it was
		if r.Status != Complete {   // else it happened after the step
			r.Status, r.Error, r.Score, r.ScoreDerived, r.Scores = Incomplete, &own, nil, false, []verifier.Score{}
		}
		f.Message = "step " + f.Task + ": " + f.Message
	}
	if f.Phase != string(PhaseRewards) && f.Phase != string(PhaseVerifier) {
		c.ContractVersion = nil
	}
}

// Classify turns an error of a phase into the fault that a record holds. It is the one place that decides which code an error has.
func Classify(phase Phase, err error) *Fault {
	f := &Fault{Phase: phase.Recorded(), Message: message(err)}
	if f.Phase == "setup" {
		f.Step = string(phase)
	}
	for _, rule := range []func(Phase, error, *Fault) bool{interrupted, uninstalled, otherModel, died, startFailed, built, pulled, evidenceMissing, artifactMissing, unscored, unhealthy, unprepared, timedOut, lost} {
		if rule(phase, err, f) {
			return f
		}
	}
	f.Code = CodeInternal
	if f.Phase == "setup" {
		f.Code = CodeSetupFailed
	}
	return f
}

// message leaves out the phase, which has a field of its own.
func message(err error) string {
	var p *PhaseError
	if errors.As(err, &p) {
		return p.Cause.Error()
	}
	return err.Error()
}

func interrupted(phase Phase, err error, f *Fault) bool {
	var i *InterruptedError
	if !errors.As(err, &i) {
		return false
	}
	f.Code, f.Message = CodeInterrupted, fmt.Sprintf("%s in phase %s", i.Error(), phase)
	return true
}

// died: a service of the stack died or never became ready.
func died(phase Phase, err error, f *Fault) bool {
	var d *sidecar.DeadError
	if !errors.As(err, &d) {
		return false
	}
	f.Service, f.Lines = d.Service, d.Log
	if d.Why == "exited" {
		f.Exit = &d.ExitCode
	}
	if d.Probe != "" {
		f.Hint = "its health check said: " + d.Probe
	}
	if d.Limit > 0 {
		s := d.Limit.Seconds()
		f.Limit = &s
	}
	f.Message = d.Error()
	switch {
	case d.Service != stack.Main:
		f.Code = CodeSidecarFailed
	case phase == PhaseStart && d.Why == "not_ready":
		f.Code = CodeSetupTimeout
	case phase == PhaseStart:
		f.Code = CodeSetupFailed
	default:
		f.Code = CodeSandboxLost
		f.Message = "the agent's container died: " + d.Error()
		if errors.As(err, new(*ApartError)) {
			f.Message = "the verifier's container died: " + d.Error()
		}
	}
	return true
}

func startFailed(_ Phase, err error, f *Fault) bool {
	var s *StartFailure
	if !errors.As(err, &s) {
		return false
	}
	f.Code, f.Rule = CodeAgentError, s.Kind
	return true
}

// uninstalled: the agent's own files, not the task's, could not be put on the image. What the machine does to it is told as for any image.
func uninstalled(_ Phase, err error, f *Fault) bool {
	var i *InstallError
	var b *images.BuildError
	var c *images.ContextError
	if !errors.As(err, &i) || errors.As(err, new(*images.NoSpaceError)) || errors.As(err, new(*TimeoutError)) {
		return false
	}
	switch {
	case errors.As(err, &b):
		f.Code, f.Message, f.Lines, f.Rule = CodeAgentError, i.Error(), b.LastLines, string(b.Reason)
		if b.Reason == images.StepExit {
			f.Exit = &b.ExitCode
		}
		return true
	case errors.As(err, &c):
		f.Code = CodeAgentError
		return true
	}
	return false
}

func otherModel(_ Phase, err error, f *Fault) bool {
	var m *ModelError
	if !errors.As(err, &m) {
		return false
	}
	f.Code, f.Phase, f.Key, f.Value = CodeModelMismatch, string(PhaseAgent), m.Want, m.Got
	return true
}

func built(_ Phase, err error, f *Fault) bool {
	var space *images.NoSpaceError
	var b *images.BuildError
	var c *images.ContextError
	switch {
	case errors.As(err, new(*images.NoBuilderError)):
		f.Code = CodeSetupFailed
		return true
	case errors.As(err, &b):
		f.Code, f.Message, f.Lines, f.Rule = CodeBuildFailed, b.Error(), b.LastLines, string(b.Reason)
		if b.Reason == images.StepExit {
			f.Exit = &b.ExitCode
		}
		if errors.As(err, &space) {
			f.Code = CodeSetupFailed // the machine, not the task
		}
		return true
	case errors.As(err, &c):
		f.Code = CodeBuildFailed
		return true
	}
	return false
}

func pulled(_ Phase, err error, f *Fault) bool {
	var p *images.PullError
	if !errors.As(err, &p) {
		return false
	}
	f.Code, f.Rule, f.Key = CodeSetupFailed, string(p.Reason), p.Ref
	return true
}

func unhealthy(_ Phase, err error, f *Fault) bool {
	var h *HealthError
	if !errors.As(err, &h) {
		return false
	}
	f.Code, f.Lines, f.Exit = CodeSetupFailed, h.Lines, &h.Exit
	return true
}

func artifactMissing(_ Phase, err error, f *Fault) bool {
	var a *ArtifactError
	if !errors.As(err, &a) || !errdefs.IsNotFound(err) {
		return false
	}
	f.Code, f.Key = CodeArtifactMissing, a.Source
	return true
}

func unprepared(_ Phase, err error, f *Fault) bool {
	var s *SetupError
	if !errors.As(err, &s) {
		return false
	}
	f.Code, f.Lines, f.Rule = CodeSetupFailed, s.Lines, "setup.sh"
	if s.Limit != "" {
		f.Code = CodeSetupTimeout
	} else if s.Start == nil {
		f.Exit = &s.Exit
	}
	return true
}

func timedOut(_ Phase, err error, f *Fault) bool {
	var t *TimeoutError
	if !errors.As(err, &t) {
		return false
	}
	limit, took := t.Value.Seconds(), t.Elapsed.Seconds()
	f.Limit, f.Seconds, f.Source = &limit, &took, t.Source
	f.Message = t.Error()
	switch t.Phase {
	case PhaseBuild, PhaseInstall, PhaseStart, PhasePrepare:
		f.Code = CodeSetupTimeout
	case PhaseVerifier, PhaseAgent:
		f.Code = overran(t)
	case PhaseCollect, PhaseRewards, PhaseTeardown:
		f.Code = CodeInternal
	}
	return true
}

// unscored: there is no score, for a reason that is the author's.
func unscored(_ Phase, err error, f *Fault) bool {
	var s *ScoringError
	if !errors.As(err, &s) {
		return false
	}
	f.Code, f.Phase = CodeVerifierError, string(PhaseVerifier)
	return true
}

// overran: the limit proper of the agent and the tests is enforced in the container, and that is a result. When the phase then does not end either, it is
// the engine that does not answer.
func overran(t *TimeoutError) string {
	switch {
	case t.Slack > 0:
		return CodeSandboxLost
	case t.Phase == PhaseAgent:
		return CodeAgentTimeout
	}
	return CodeVerifierTimeout
}

// lost: the engine, or the helper of the tests, is gone in the middle.
func lost(phase Phase, err error, f *Fault) bool {
	var v *VerifierLost
	var l *sidecar.LostError
	var u *sidecar.UnusableError
	switch {
	case errors.As(err, &v):
		f.Code = CodeVerifierError
	case errors.As(err, &l), errors.As(err, &u), sidecar.Passing(err) && phase.Recorded() != "setup":
		f.Code = CodeSandboxLost
	default:
		return false
	}
	return true
}
