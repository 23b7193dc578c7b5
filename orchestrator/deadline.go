package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Phase is a stretch of a trial that has a limit of its own.
type Phase string

// The phases of a trial in their order, those from prepare to rewards once for each step. Build, agent_setup, start and prepare together are what a record calls setup.
const (
	PhaseBuild    Phase = "build"
	PhaseInstall  Phase = "agent_setup" // an agent is put on the task's image
	PhaseStart    Phase = "start"
	PhasePrepare  Phase = "prepare" // a step's files, its setup.sh and its health check
	PhaseAgent    Phase = "agent"
	PhaseCollect  Phase = "collect"
	PhaseVerifier Phase = "verifier"
	PhaseRewards  Phase = "rewards"
	PhaseTeardown Phase = "teardown"
)

// phases are all phases in their order.
func phases() []Phase {
	return []Phase{PhaseBuild, PhaseInstall, PhaseStart, PhasePrepare, PhaseAgent, PhaseCollect, PhaseVerifier, PhaseRewards, PhaseTeardown}
}

// Recorded is the phase's name in a record.
func (p Phase) Recorded() string {
	if p == PhaseBuild || p == PhaseInstall || p == PhaseStart || p == PhasePrepare {
		return "setup"
	}
	return string(p)
}

// Limit is how long a phase may take, and who said so.
type Limit struct {
	Phase  Phase         `json:"phase"`
	Value  time.Duration `json:"-"`
	Source string        `json:"source"`
	// Slack is given beyond Value when something else enforces Value and only its failure is to be noticed.
	Slack time.Duration `json:"-"`
}

// TimeoutError says that a phase ran into its limit.
type TimeoutError struct {
	Limit
	Elapsed time.Duration
}

func (e *TimeoutError) Error() string {
	more := ""
	if e.Slack > 0 {
		more = fmt.Sprintf(" and did not end in %s more", e.Slack)
	}
	return fmt.Sprintf("the %s phase ran into its limit of %s (%s)%s", e.Phase, e.Value, e.Source, more)
}

// PhaseError says in which phase the tool or the engine failed.
type PhaseError struct {
	Phase Phase
	Cause error
}

func (e *PhaseError) Error() string { return fmt.Sprintf("%s: %v", e.Phase, e.Cause) }

func (e *PhaseError) Unwrap() error { return e.Cause }

// in runs one phase under its limit and returns how long it took by the monotonic clock. It is the only place that sets a phase's timer. An error
// comes back as a *PhaseError; when the limit ended the phase, a *TimeoutError is in its chain.
func in(ctx context.Context, l Limit, fn func(ctx context.Context) error) (time.Duration, error) {
	started := time.Now()
	timeout := &TimeoutError{Limit: l}
	ctx, cancel := context.WithTimeoutCause(ctx, l.Value+l.Slack, timeout)
	defer cancel()
	err := fn(ctx)
	took := time.Since(started)
	if err == nil {
		return took, nil
	}
	timeout.Elapsed = took
	if cause := context.Cause(ctx); ctx.Err() != nil && !errors.Is(err, cause) && !typed(err) {
		err = errors.Join(cause, err)
	}
	return took, &PhaseError{Phase: l.Phase, Cause: err}
}

// typed errors know better than the context why they happened.
func typed(err error) bool {
	var t interface{ Outcome() string }
	return errors.As(err, &t)
}

// milliseconds is a limit as the helper takes it; zero there means none, so that the least is one.
func milliseconds(d time.Duration) int64 { return max(1, d.Milliseconds()) }

// pause waits for d or for the end of ctx, whose cause it returns.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// interruptedCollect is how long logs are still fetched for after an interrupt: somebody waits.
const interruptedCollect = 3 * time.Second
