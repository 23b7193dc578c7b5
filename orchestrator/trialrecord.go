package orchestrator

import (
	"time"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// TrialRecord is trial.json: the case as in run.json, and what only somebody who looks at this one trial wants.
type TrialRecord struct {
	Format        string    `json:"format"`
	SchemaVersion int       `json:"schema_version"`
	RunID         string    `json:"run_id"`
	TrialID       string    `json:"trial_id"`
	StartedAt     time.Time `json:"started_at"`
	FinishedAt    time.Time `json:"finished_at"`
	Tool          Tool      `json:"tool"`
	Synthetic     bool      `json:"synthetic,omitempty"` // it checked a task's tests, and is no result
	Case          Case      `json:"case"`
	StepFacts
	Steps         []StepTrial       `json:"steps,omitempty"`
	Limits        []LimitRecord     `json:"limits"`
	Images        map[string]string `json:"images"` // service -> image id
	Containers    map[string]string `json:"containers"`
	Network       string            `json:"network"`
	EnvNames      []string          `json:"env_names"`
	Collected     Collected         `json:"collected"`
	Fakes         *FakesRecord      `json:"fakes,omitempty"`
	EngineCalls   int64             `json:"engine_calls"`
	EngineRetries int64             `json:"engine_retries,omitempty"`
	Restarts      []string          `json:"restarts"` // why the agent's container was started again
	ClockGap      *float64          `json:"clock_gap_seconds,omitempty"`
	Kept          bool              `json:"kept"`
	KeptUntil     *time.Time        `json:"kept_until,omitempty"` // of a kept stack; absent = until somebody removes it
	Leaks         []string          `json:"leaks"`

	moved     int64             // transfers made again
	unstarted bool              // it was called off while it waited for room
	imageRefs map[string]string // reference -> image id, for run.json
}

// StepFacts is how one run of the agent and its grading went. In a task with steps those of the trial itself are empty.
type StepFacts struct {
	SetupScript *Exec `json:"setup_script,omitempty"` // the step's setup.sh
	Agent       *Exec `json:"agent"`
	Verifier    *Exec `json:"verifier"`
	// Scoring is set for a step without a test script.
	Scoring     *ScoringFacts `json:"scoring,omitempty"`
	RewardFile  string        `json:"reward_file,omitempty"`
	TestsDigest string        `json:"tests_digest,omitempty"`
}

// StepTrial is what happened in one step.
type StepTrial struct {
	Name string `json:"name"`
	StepFacts
}

// FakesRecord is what a trial's fakes saw.
type FakesRecord struct {
	Service         string   `json:"service"`
	Scenario        string   `json:"scenario"`
	Servers         []string `json:"servers"`
	Calls           int      `json:"calls"`
	Writes          int      `json:"writes"` // calls that wrote or tried to
	Violations      int      `json:"violations"`
	FirstViolations []string `json:"first_violations,omitempty"` // at most 20
}

// Exec is one command that ran in a container.
type Exec struct {
	StartedAt     *time.Time `json:"started_at"` // null = it could not even be handed to the engine
	Exit          *int       `json:"exit"`       // null = it never started, or its end is unknown
	Signal        string     `json:"signal,omitempty"`
	Seconds       float64    `json:"seconds"`
	Limit         string     `json:"limit_fired,omitempty"` // "term" or "kill": how it was ended
	LimitSeconds  float64    `json:"limit_seconds"`
	LimitSource   string     `json:"limit_source"`
	StartError    string     `json:"start_error,omitempty"`
	Leftovers     []string   `json:"leftovers,omitempty"`
	LeftoverCount int        `json:"leftover_count"`
	OOMKills      *int64     `json:"oom_kills"`
	ChangedFiles  *int64     `json:"changed_files"` // in the working directory; null = not counted
	UserSeconds   float64    `json:"user_seconds"`
	SystemSeconds float64    `json:"system_seconds"`
	MaxRSSKB      int64      `json:"max_rss_kb"`
	// Pressure is how scarce things were in the container meanwhile; nil where that was not measured.
	Pressure *shim.Pressure `json:"pressure,omitempty"`
	Stdout   Stream         `json:"stdout"`
	Stderr   Stream         `json:"stderr"`
}

// Stream is one output stream of a command.
type Stream struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"` // printed
	Cut   int64  `json:"cut"`   // left out between head and tail
}

// LimitRecord is an effective limit and its source.
type LimitRecord struct {
	Phase   string  `json:"phase"`
	Step    string  `json:"step,omitempty"`
	Seconds float64 `json:"seconds"`
	Source  string  `json:"source"`
}

// Collected says what came out of the log folders.
type Collected struct {
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
	Skipped []string `json:"skipped"` // links, devices, what was over a cap: with the reason
}
