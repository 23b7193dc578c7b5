package sidecar

import (
	"fmt"
	"io"
	"time"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// Command is something to run in a service's container.
type Command struct {
	Service string
	Spec    shim.Spec
	// Env is added to the container's own; it travels in the request's body only.
	Env map[string]string
	// AsUser runs the helper itself as this user instead of root. It is for containers whose root may not switch users; Spec.User must then be empty.
	AsUser string
	// Stdout and Stderr receive the streams' bytes as they are printed. They are called from one goroutine each time in turn.
	Stdout, Stderr io.Writer
}

// Result is what came of a command.
type Result struct {
	shim.Report
	// StartedAt is the wall time at which the command was handed to the engine.
	StartedAt time.Time
	// Took is the monotonic time until its end was known, the engine's part included.
	Took time.Duration
}

// LostError says that a command's fate is unknown: its helper was killed, or the connection to it broke. The container may still run whatever
// the command started.
type LostError struct {
	Service string
	// ExitCode is the engine's word on the helper, -1 when it has none.
	ExitCode int
	// Engine is set when it was the engine that failed.
	Engine bool
	// Unstarted says that the helper could not even begin, so that nothing of the command has run.
	Unstarted bool
	Cause     error
}

func (e *LostError) Error() string {
	if e.Engine {
		return fmt.Sprintf("the engine lost a command in service %s: %v", e.Service, e.Cause)
	}
	return fmt.Sprintf("a command in service %s was lost (its helper ended with code %d): %v", e.Service, e.ExitCode, e.Cause)
}

func (e *LostError) Unwrap() error { return e.Cause }
