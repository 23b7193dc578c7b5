package orchestrator

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar"
)

// Exit codes of the program. When several hold, the order is interrupted, leaked, incomplete, gate.
const (
	ExitOK         = 0
	ExitGate       = 1 // a gate that the user asked for failed
	ExitUsage      = 2 // usage, configuration or an invalid task; nothing ran
	ExitIncomplete = 3 // finished with incomplete cases, or nothing ran at all
	ExitEngine     = 4 // the engine is unusable, or has no room
	ExitLeak       = 5 // something could not be removed
	ExitInt        = 130
	ExitTerm       = 143
)

// ExitCode is the program's exit code for a run's record.
func ExitCode(ctx context.Context, r *RunRecord, minScore *float64) int {
	switch code := interruptCode(ctx); {
	case code != ExitOK:
		return code
	case len(r.Leaks) > 0:
		return ExitLeak
	case strings.HasPrefix(r.Stopped, engineGone):
		return ExitEngine
	case r.Summary.Incomplete > 0 || r.Summary.Missing > 0 || r.Summary.Total == 0:
		return ExitIncomplete
	case minScore != nil && (r.Summary.MeanScore == nil || *r.Summary.MeanScore < *minScore):
		return ExitGate
	}
	return ExitOK
}

// interruptCode is the exit code of what a signal ended; ExitOK where none did.
func interruptCode(ctx context.Context) int {
	var i *InterruptedError
	switch {
	case !errors.As(context.Cause(ctx), &i):
		return ExitOK
	case i.Signal == "SIGTERM":
		return ExitTerm
	}
	return ExitInt
}

// CheckExitCode is the program's exit code for trials that tried out tests, without what they say about the tests. nil stands for none.
func CheckExitCode(ctx context.Context, r *LiveRecord) int {
	switch code := interruptCode(ctx); {
	case code != ExitOK:
		return code
	case r == nil:
		return ExitOK
	case len(r.Leaks) > 0:
		return ExitLeak
	case slices.ContainsFunc(r.Trials, func(t *LiveTrial) bool { return t.Disturbed() }):
		return ExitIncomplete
	}
	return ExitOK
}

// ExitCodeOf is the program's exit code when nothing ran.
func ExitCodeOf(ctx context.Context, err error) int {
	var u *sidecar.UnusableError
	var space *sidecar.SpaceError
	switch code := interruptCode(ctx); {
	case code != ExitOK:
		return code
	case errors.As(err, &u), errors.As(err, &space):
		return ExitEngine
	case errors.As(err, new(*UnrecordedError)):
		return ExitIncomplete
	}
	return ExitUsage
}
