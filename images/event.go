package images

// Event is one thing that happened while an image was built or pulled, for
// people who watch.
type Event struct {
	Kind    EventKind
	Step    string  // as in "[2/3] RUN make"; what is waited for, for Waiting
	Seconds float64 // that the step took, for StepDone
	Error   string  // why it failed, for StepFailed
}

// EventKind tells the kinds of events apart.
type EventKind string

// The kinds of events.
const (
	StepStarted EventKind = "started"
	StepDone    EventKind = "done"
	StepCached  EventKind = "cached"
	StepFailed  EventKind = "failed"
	Waiting     EventKind = "waiting"
)
