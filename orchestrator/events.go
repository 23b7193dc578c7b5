package orchestrator

import (
	"encoding/json"
	"time"
)

// The format of a run's events. The version grows when a reader of the older one would misread the newer; new kinds and fields come without that.
const (
	EventsFormat  = "seatrial-events"
	EventsVersion = 1
)

// Event is one thing that happened in a run. Events are what people watch, what events.jsonl holds and what is streamed. Which kind has which fields is in
// docs/events.md.
type Event struct {
	Time time.Time `json:"time"`
	Kind EventKind `json:"kind"`
	// Format, SchemaVersion and RunID are set for OnRunStarted.
	Format        string  `json:"format,omitempty"`
	SchemaVersion int     `json:"schema_version,omitempty"`
	RunID         string  `json:"run_id,omitempty"`
	Trial         string  `json:"trial,omitempty"`
	CaseID        string  `json:"case,omitempty"`
	Phase         Phase   `json:"phase,omitempty"`
	Step          string  `json:"step,omitempty"`     // the task's, in a task with several
	StandIn       string  `json:"stand_in,omitempty"` // who stood in for the agent, where tests are tried out
	Seconds       float64 `json:"seconds,omitempty"`
	Failed        bool    `json:"failed,omitempty"`
	Text          string  `json:"text,omitempty"`
	// Case is set for OnTrialFinished, unless the trial was called off before it was started; Summary for OnRunFinished.
	Case    *Case    `json:"result,omitempty"`
	Summary *Summary `json:"summary,omitempty"`
	Planned int      `json:"planned,omitempty"`
	// Status is the run's at its end, and Stopped why nothing more was started before all was done.
	Status  string `json:"status,omitempty"`
	Stopped string `json:"stopped,omitempty"`
	Dropped int    `json:"dropped,omitempty"` // so many events are missing here
}

// EventKind tells events apart.
type EventKind string

// The kinds of events.
const (
	OnRunStarted    EventKind = "run_started"
	OnTrialQueued   EventKind = "trial_queued"
	OnTrialStarted  EventKind = "trial_started"
	OnPhaseStarted  EventKind = "phase_started"
	OnPhaseFinished EventKind = "phase_finished"
	OnBuildStep     EventKind = "build_step"
	OnNote          EventKind = "note"
	OnPaused        EventKind = "paused"
	OnResumed       EventKind = "resumed"
	OnInterrupt     EventKind = "interrupted"
	OnTrialFinished EventKind = "trial_finished"
	OnTrialRetried  EventKind = "trial_retried"
	OnRunFinished   EventKind = "run_finished"
	OnDropped       EventKind = "dropped" // of streams only
)

// Line is the event as JSON on a line of its own. It is nil for an event that cannot be written, such as one with a score that is no number.
func (e *Event) Line() []byte {
	line, err := json.Marshal(e)
	if err != nil {
		return nil
	}
	return append(line, '\n')
}
