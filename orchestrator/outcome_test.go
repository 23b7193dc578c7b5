package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func timeout(p orchestrator.Phase) error {
	return &orchestrator.TimeoutError{Limit: orchestrator.Limit{Phase: p, Value: 5 * time.Second, Source: "a flag"}, Elapsed: 6 * time.Second}
}

func TestClassify(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	exit := func(v int) *int { return &v }
	disk := &images.NoSpaceError{Cause: errors.New("no space left on device")}
	build, start, agent, collect, tests := orchestrator.PhaseBuild, orchestrator.PhaseStart, orchestrator.PhaseAgent, orchestrator.PhaseCollect, orchestrator.PhaseVerifier
	rewards := orchestrator.PhaseRewards
	for _, c := range []struct {
		name  string
		phase orchestrator.Phase
		err   error
		want  orchestrator.Fault // without its message
	}{
		{"a signal", agent, &orchestrator.InterruptedError{Signal: "SIGINT"}, orchestrator.Fault{Code: "interrupted", Phase: "agent"}},
		{"a signal behind an engine's error", build, errors.Join(&orchestrator.InterruptedError{Signal: "SIGINT"}, &images.BuildError{Reason: images.StepExit}),
			orchestrator.Fault{Code: "interrupted", Phase: "setup", Step: "build"}},
		{"a signal behind a limit", tests, errors.Join(timeout(tests), &orchestrator.InterruptedError{Signal: "SIGINT"}), orchestrator.Fault{Code: "interrupted", Phase: "verifier"}},
		{"main exits while it starts", start, dead("main"),
			orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "start", Service: "main", Exit: exit(3), Lines: []string{"out of memory in main"}}},
		{"main exits under the agent", agent, dead("main"),
			orchestrator.Fault{Code: "sandbox_lost", Phase: "agent", Service: "main", Exit: exit(3), Lines: []string{"out of memory in main"}}},
		{"a sidecar exits while it starts", start, dead("db"),
			orchestrator.Fault{Code: "sidecar_failed", Phase: "setup", Step: "start", Service: "db", Exit: exit(3), Lines: []string{"out of memory in db"}}},
		{"a sidecar turns unhealthy", tests, &sidecar.DeadError{Service: "db", Why: "unhealthy", Probe: "refused"},
			orchestrator.Fault{Code: "sidecar_failed", Phase: "verifier", Service: "db", Hint: "its health check said: refused"}},
		{"a sidecar is not ready when the limit comes", start, errors.Join(timeout(start), &sidecar.DeadError{Service: "db", Why: "not_ready", Limit: 5 * time.Second}),
			orchestrator.Fault{Code: "sidecar_failed", Phase: "setup", Step: "start", Service: "db", Limit: num(5)}},
		{"main cannot be created", start, &sidecar.DeadError{Service: "main", Why: "not_started", Cause: errors.New("no such image")},
			orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "start", Service: "main"}},
		{"the agent never started", agent, &orchestrator.StartFailure{Who: "agent", StartError: shim.StartError{Kind: "not_found", Detail: "x"}},
			orchestrator.Fault{Code: "agent_error", Phase: "agent", Rule: "not_found"}},
		{"a step of the build fails", build, &images.BuildError{Reason: images.StepExit, ExitCode: 2, LastLines: []string{"no"}},
			orchestrator.Fault{Code: "build_failed", Phase: "setup", Step: "build", Rule: "step_exit", Exit: exit(2), Lines: []string{"no"}}},
		{"the Dockerfile is wrong", build, &images.BuildError{Reason: images.SyntaxFault, Cause: errors.New("unknown instruction")},
			orchestrator.Fault{Code: "build_failed", Phase: "setup", Step: "build", Rule: "syntax"}},
		{"the build context is wrong", build, &images.ContextError{}, orchestrator.Fault{Code: "build_failed", Phase: "setup", Step: "build"}},
		{"the disk is full under a build", build, &images.BuildError{Reason: images.OtherFailure, Cause: disk},
			orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "build", Rule: "other_failure"}},
		{"an image cannot be pulled", build, &images.PullError{Ref: "x:1", Reason: images.Denied, Cause: errors.New("no")},
			orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "build", Rule: "denied", Key: "x:1"}},
		{"the health check fails", start, &orchestrator.HealthError{Command: "x", Tries: 3, Exit: 7, Lines: []string{"no"}},
			orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "start", Exit: exit(7), Lines: []string{"no"}}},
		{"the build's limit", build, timeout(build), orchestrator.Fault{Code: "setup_timeout", Phase: "setup", Step: "build", Limit: num(5), Seconds: num(6), Source: "a flag"}},
		{"the start's limit", start, timeout(start), orchestrator.Fault{Code: "setup_timeout", Phase: "setup", Step: "start", Limit: num(5), Seconds: num(6), Source: "a flag"}},
		{"the agent phase's limit", agent, timeout(agent), orchestrator.Fault{Code: "agent_timeout", Phase: "agent", Limit: num(5), Seconds: num(6), Source: "a flag"}},
		{"the verifier phase's limit", tests, timeout(tests), orchestrator.Fault{Code: "verifier_timeout", Phase: "verifier", Limit: num(5), Seconds: num(6), Source: "a flag"}},
		{"the collect phase's limit", collect, timeout(collect), orchestrator.Fault{Code: "internal", Phase: "collect", Limit: num(5), Seconds: num(6), Source: "a flag"}},
		{"the tests' helper is lost", tests, &orchestrator.VerifierLost{Cause: helperLost()}, orchestrator.Fault{Code: "verifier_error", Phase: "verifier"}},
		{"the engine is lost under the agent", agent, engineGone(), orchestrator.Fault{Code: "sandbox_lost", Phase: "agent"}},
		{"the engine is unusable", start, &sidecar.UnusableError{Reason: "gone"}, orchestrator.Fault{Code: "sandbox_lost", Phase: "setup", Step: "start"}},
		{"no subnet is free", start, &sidecar.PoolError{Pool: "10.0.0.0/16"}, orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "start"}},
		{"anything else while it builds", build, errGone, orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "build"}},
		{"anything else while it starts", start, errGone, orchestrator.Fault{Code: "setup_failed", Phase: "setup", Step: "start"}},
		{"anything else under the agent", agent, errGone, orchestrator.Fault{Code: "internal", Phase: "agent"}},
		{"anything else under the tests", tests, errGone, orchestrator.Fault{Code: "internal", Phase: "verifier"}},
		{"anything else while the logs come", collect, errGone, orchestrator.Fault{Code: "internal", Phase: "collect"}},
		{"anything else while the rewards are judged", rewards, errGone, orchestrator.Fault{Code: "internal", Phase: "rewards"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, err := range []error{c.err, &orchestrator.PhaseError{Phase: c.phase, Cause: c.err}, fmt.Errorf("somewhere: %w", c.err)} {
				got := orchestrator.Classify(c.phase, err)
				if got.Message == "" {
					t.Errorf("%T has no message", c.err)
				}
				got.Message = ""
				if diff := cmp.Diff(&c.want, got); diff != "" {
					t.Errorf("as %T (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

func TestAFaultsMessageLeavesOutThePhase(t *testing.T) {
	got := orchestrator.Classify(orchestrator.PhaseAgent, &orchestrator.PhaseError{Phase: orchestrator.PhaseAgent, Cause: errGone}).Message
	if got != errGone.Error() {
		t.Errorf("message %q, want %q", got, errGone)
	}
}

func TestSummarize(t *testing.T) {
	scored := func(v float64) orchestrator.Case { return orchestrator.Case{Status: "complete", Score: &v} }
	broken := func(code string) orchestrator.Case {
		return orchestrator.Case{Status: "incomplete", Error: &orchestrator.Fault{Code: code}}
	}
	none := orchestrator.Case{Status: "complete"}
	num := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name    string
		cases   []orchestrator.Case
		planned int
		want    orchestrator.Summary
	}{
		{"nothing at all", nil, 0, orchestrator.Summary{}},
		{"nothing yet", nil, 3, orchestrator.Summary{Planned: 3, Missing: 3}},
		{"scores and their mean", []orchestrator.Case{scored(1), scored(0)}, 2, orchestrator.Summary{Planned: 2, Total: 2, Complete: 2, Scored: 2, MeanScore: num(0.5)}},
		{"an incomplete case is no zero", []orchestrator.Case{scored(1), broken("reward_missing")}, 2,
			orchestrator.Summary{Planned: 2, Total: 2, Complete: 1, Scored: 1, Incomplete: 1, MeanScore: num(1), ByError: map[string]int{"reward_missing": 1}}},
		{"a case without a score is no zero", []orchestrator.Case{scored(1), none}, 2,
			orchestrator.Summary{Planned: 2, Total: 2, Complete: 2, Scored: 1, NoScore: 1, MeanScore: num(1)}},
		{"only cases without a score have no mean", []orchestrator.Case{none}, 1, orchestrator.Summary{Planned: 1, Total: 1, Complete: 1, NoScore: 1}},
		{"errors are counted by code", []orchestrator.Case{broken("internal"), broken("build_failed"), broken("internal")}, 4,
			orchestrator.Summary{Planned: 4, Total: 3, Incomplete: 3, Missing: 1, ByError: map[string]int{"internal": 2, "build_failed": 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want.ByError == nil {
				c.want.ByError = map[string]int{}
			}
			if diff := cmp.Diff(c.want, orchestrator.Summarize(c.cases, c.planned)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheMeanDoesNotDependOnTheOrder(t *testing.T) {
	var cases []orchestrator.Case
	for i := range 200 {
		v := math.Sqrt(float64(i)) / 20
		cases = append(cases, orchestrator.Case{Status: "complete", Score: &v})
	}
	one := *orchestrator.Summarize(cases, 200).MeanScore
	slices.Reverse(cases)
	if other := *orchestrator.Summarize(cases, 200).MeanScore; one != other {
		t.Errorf("%v and %v", one, other)
	}
}

func TestCodesAreSortedByFrequency(t *testing.T) {
	s := orchestrator.Summary{ByError: map[string]int{"b": 1, "a": 1, "z": 3}}
	if diff := cmp.Diff([]string{"z", "a", "b"}, s.Codes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExitCode(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	ended := func(signal string) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(&orchestrator.InterruptedError{Signal: signal})
		return ctx
	}
	good := orchestrator.Summary{Planned: 1, Total: 1, Complete: 1, Scored: 1, MeanScore: num(0.5)}
	bad := orchestrator.Summary{Planned: 1, Total: 1, Incomplete: 1}
	for _, c := range []struct {
		name string
		ctx  context.Context //nolint:containedctx // a table's
		rec  orchestrator.RunRecord
		min  *float64
		want int
	}{
		{"all complete, whatever the score", t.Context(), orchestrator.RunRecord{Summary: good}, nil, 0},
		{"a gate that holds", t.Context(), orchestrator.RunRecord{Summary: good}, num(0.5), 0},
		{"a gate that fails", t.Context(), orchestrator.RunRecord{Summary: good}, num(0.51), 1},
		{"a gate on nothing fails", t.Context(), orchestrator.RunRecord{Summary: orchestrator.Summary{Planned: 1, Total: 1, Complete: 1, NoScore: 1}}, num(0), 1},
		{"an incomplete case", t.Context(), orchestrator.RunRecord{Summary: bad}, nil, 3},
		{"an incomplete case before a gate", t.Context(), orchestrator.RunRecord{Summary: bad}, num(1), 3},
		{"nothing ran", t.Context(), orchestrator.RunRecord{}, nil, 3},
		{"a trial is missing", t.Context(), orchestrator.RunRecord{Summary: orchestrator.Summary{Planned: 2, Total: 1, Complete: 1, Missing: 1}}, nil, 3},
		{"a leak before an incomplete case", t.Context(), orchestrator.RunRecord{Summary: bad, Leaks: []string{"x"}}, nil, 5},
		{"an interrupt before all", ended("SIGINT"), orchestrator.RunRecord{Summary: bad, Leaks: []string{"x"}}, num(1), 130},
		{"a hang-up counts as an interrupt", ended("SIGHUP"), orchestrator.RunRecord{Summary: good}, nil, 130},
		{"a termination has its own", ended("SIGTERM"), orchestrator.RunRecord{Summary: good}, nil, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := orchestrator.ExitCode(c.ctx, &c.rec, c.min); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}

func TestExitCodeOf(t *testing.T) {
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(&orchestrator.InterruptedError{Signal: "SIGTERM"})
	for _, c := range []struct {
		name string
		ctx  context.Context //nolint:containedctx // a table's
		err  error
		want int
	}{
		{"usage", t.Context(), &orchestrator.UsageError{Cause: errGone}, 2},
		{"a broken task", t.Context(), errGone, 2},
		{"an unusable engine", t.Context(), fmt.Errorf("run: %w", &sidecar.UnusableError{}), 4},
		{"an interrupt before all", ended, &sidecar.UnusableError{}, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := orchestrator.ExitCodeOf(c.ctx, c.err); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}
