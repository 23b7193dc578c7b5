package faultproxy

import (
	"fmt"
	"time"
)

// What is what goes wrong with a request.
type What int

// The faults.
const (
	// Delayed answers late, after Fault.After.
	Delayed What = iota + 1
	// DroppedBefore closes the connection instead of asking the engine.
	DroppedBefore
	// DroppedAfter has the engine do it and closes the connection instead of answering.
	DroppedAfter
	// Truncated breaks off in the middle of the engine's answer, and of a raw connection's after Fault.Bytes.
	Truncated
	// Duplicated has the engine do it twice and gives the second answer; of a raw connection the first.
	Duplicated
	// Answered answers Fault.Status without asking the engine.
	Answered
	// AnsweredAfter has the engine do it and answers Fault.Status.
	AnsweredAfter
	// Hung never answers, without asking the engine.
	Hung
	// HungAfter has the engine do it and never answers.
	HungAfter
	// Stalled passes Fault.Bytes of the answer on and then nothing, without closing.
	Stalled
	// Dead ends the proxy before the engine is asked: nothing answers from then on.
	Dead
)

// Fault is what goes wrong, and how.
type Fault struct {
	What   What
	Status int
	Bytes  int64
	After  time.Duration
}

// String names the fault as a test case does.
func (f Fault) String() string {
	switch f.What {
	case Delayed:
		return fmt.Sprintf("answered after %s", f.After)
	case DroppedBefore:
		return "dropped before it reaches the engine"
	case DroppedAfter:
		return "done, and the answer lost"
	case Truncated:
		return fmt.Sprintf("broken off after %d bytes", f.Bytes)
	case Duplicated:
		return "sent twice"
	case Answered:
		return fmt.Sprintf("answered %d without asking", f.Status)
	case AnsweredAfter:
		return fmt.Sprintf("done, and answered %d", f.Status)
	case Hung:
		return "never answered"
	case HungAfter:
		return "done, and never answered"
	case Stalled:
		return fmt.Sprintf("stalled after %d bytes", f.Bytes)
	case Dead:
		return "the last before the engine dies"
	}
	return "no fault"
}

// Rule says which requests a fault hits.
type Rule struct {
	// Kind is the kind of request; empty = every kind.
	Kind Kind
	// Nth is the first request of the kind that is hit, from 1; 0 = the first.
	Nth int
	// Times is how many are hit in a row; 0 = every one from then on.
	Times int
	Fault Fault
}

func (r Rule) hits(kind Kind, n int) bool {
	first := max(r.Nth, 1)
	return (r.Kind == "" || r.Kind == kind) && n >= first && (r.Times == 0 || n < first+r.Times)
}
