package orchestrator

import "time"

// Event is one thing that happened in a run. Events are what people watch and what events.jsonl holds.
type Event struct {
	Time    time.Time `json:"time"`
	Kind    EventKind `json:"kind"`
	Trial   string    `json:"trial,omitempty"`
	CaseID  string    `json:"case,omitempty"`
	Phase   Phase     `json:"phase,omitempty"`
	Step    string    `json:"step,omitempty"` // the task's, in a task with several
	Seconds float64   `json:"seconds,omitempty"`
	Failed  bool      `json:"failed,omitempty"`
	Text    string    `json:"text,omitempty"`
	// Case is set for OnTrialFinished, Summary for OnRunFinished.
	Case    *Case    `json:"result,omitempty"`
	Summary *Summary `json:"summary,omitempty"`
	Planned int      `json:"planned,omitempty"`
}

// EventKind tells events apart.
type EventKind string

// The kinds of events.
const (
	OnRunStarted    EventKind = "run_started"
	OnTrialStarted  EventKind = "trial_started"
	OnPhaseStarted  EventKind = "phase_started"
	OnPhaseFinished EventKind = "phase_finished"
	OnBuildStep     EventKind = "build_step"
	OnNote          EventKind = "note"
	OnInterrupt     EventKind = "interrupted"
	OnTrialFinished EventKind = "trial_finished"
	OnRunFinished   EventKind = "run_finished"
)
