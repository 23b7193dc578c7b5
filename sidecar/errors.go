package sidecar

import (
	"fmt"
	"strings"
	"time"
)

// UnusableError says that the engine cannot be used at all. Nothing was started.
type UnusableError struct {
	Host, Source, Reason string
	Hint                 string // what to do, without a full stop; may be empty
	Cause                error
}

func (e *UnusableError) Error() string {
	s := fmt.Sprintf("the engine at %s (from %s) cannot be used: %s", e.Host, e.Source, e.Reason)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e *UnusableError) Unwrap() error { return e.Cause }

// DeadError says that a service of the stack died, or turned unhealthy, while it was needed.
type DeadError struct {
	Service  string
	Why      string // "exited", "unhealthy", "not_ready", "not_started"
	ExitCode int
	OOM      bool          // the kernel's memory limit killed it
	Probe    string        // last output of its health check
	Log      []string      // its last log lines
	After    time.Duration // since the stack's start
	Limit    time.Duration // the limit that it did not become ready within, for "not_ready"
	Cause    error

	unseen bool // the engine did not say how it is
}

func (e *DeadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "service %s ", e.Service)
	switch e.Why {
	case "unhealthy":
		b.WriteString("turned unhealthy")
	case "not_ready":
		fmt.Fprintf(&b, "was not ready within %s", e.Limit)
	case "not_started":
		b.WriteString("could not be started")
	default:
		fmt.Fprintf(&b, "exited with code %d", e.ExitCode)
		if e.OOM {
			b.WriteString(" (out of memory)")
		}
	}
	if e.After > 0 && e.Why != "not_started" {
		fmt.Fprintf(&b, " after %s", e.After.Round(100*time.Millisecond))
	}
	if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	if e.Probe != "" {
		b.WriteString("; its health check said: " + lastLine(e.Probe))
	}
	if len(e.Log) > 0 {
		b.WriteString("; its last line: " + e.Log[len(e.Log)-1])
	}
	return b.String()
}

func (e *DeadError) Unwrap() error { return e.Cause }

// LeakError says what could not be removed.
type LeakError struct {
	Left  []string // "container 1a2b (name)", "network ...", "volume ..."
	Cause error
}

func (e *LeakError) Error() string {
	s := "could not be removed: " + strings.Join(e.Left, ", ")
	if len(e.Left) == 0 {
		s = "it is not known what is left"
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s + "; `seatrial gc` tries again"
}

func (e *LeakError) Unwrap() error { return e.Cause }

// PoolError says that no subnet was free for a network.
type PoolError struct {
	Pool  string
	Tried int
	Cause error
}

func (e *PoolError) Error() string {
	s := fmt.Sprintf("no free subnet for a network: %d tried in %s", e.Tried, e.Pool)
	if e.Tried == 0 {
		s = "no free subnet for a network: this machine's own interfaces use all of " + e.Pool
	}
	s += "; remove unused networks (`seatrial gc`), or choose another pool with SEATRIAL_NETWORK_POOL"
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *PoolError) Unwrap() error { return e.Cause }

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
