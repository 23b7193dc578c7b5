package orchestrator

import (
	"time"

	"github.com/seatrial/seatrial/orchestrator/selection"
	"github.com/seatrial/seatrial/verifier"
)

// The formats of run.json and trial.json. The version grows when a reader of the older one would misread the newer.
const (
	RunFormat     = "seatrial-run"
	TrialFormat   = "seatrial-trial"
	SchemaVersion = 1
)

// Statuses of a run and of a case.
const (
	RunRunning     = "running"
	RunFinished    = "finished"
	RunInterrupted = "interrupted"

	Complete   = "complete"
	Incomplete = "incomplete"
	Skipped    = "skipped" // of a step only
)

// RunRecord is run.json.
type RunRecord struct {
	Format        string      `json:"format"`
	SchemaVersion int         `json:"schema_version"`
	RunID         string      `json:"run_id"`
	Status        string      `json:"status"`
	StartedAt     time.Time   `json:"started_at"`
	FinishedAt    *time.Time  `json:"finished_at"`
	Tool          Tool        `json:"tool"`
	Runner        RunnerName  `json:"runner"`
	Candidate     Candidate   `json:"candidate"`
	Spec          RunSpec     `json:"spec"`
	Environment   Environment `json:"environment"`
	Cases         []Case      `json:"cases"`
	Summary       Summary     `json:"summary"`
	Stopped       string      `json:"stopped,omitempty"` // why nothing more was started before all was done
	Metrics       *Metrics    `json:"metrics,omitempty"` // of a run that is over
	Leaks         []string    `json:"leaks"`
	// Reproduces says which recorded trial the run runs again.
	Reproduces    *Reproduction `json:"reproduces,omitempty"`
	EngineCalls   int64         `json:"engine_calls"`             // of the whole run, attached streams and subscriptions counted once
	EngineRetries int64         `json:"engine_retries,omitempty"` // how many of them the engine had not answered before
}

// Tool is what wrote a record.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// RunnerName says which task format was run.
type RunnerName struct {
	Name         string   `json:"name"`
	HarborSchema []string `json:"harbor_schema"`
}

// Candidate is what was evaluated. The recipe's revision is reserved: nothing fills it yet.
type Candidate struct {
	Agent        string  `json:"agent"`
	Version      string  `json:"agent_version,omitempty"`
	Model        *string `json:"model"`
	RecipeCommit *string `json:"recipe_commit"`
	RecipeDirty  *bool   `json:"recipe_dirty"`
}

// RunSpec is how the run was asked for.
type RunSpec struct {
	Path       []string       `json:"path"`
	Trials     int            `json:"trials"`
	Parallel   int            `json:"parallel"`
	MaxRetries int            `json:"max_retries,omitempty"`
	Partial    bool           `json:"allow_partial,omitempty"`
	Directory  string         `json:"directory,omitempty"` // that relative paths start from
	FreshSteps bool           `json:"fresh_steps"`
	Rewards    string         `json:"rewards"`
	Timeouts   map[string]any `json:"timeouts"`
	Network    string         `json:"network"`
	Allow      []string       `json:"allow"`
	Keep       string         `json:"keep"`
	AgentEnv   []string       `json:"agent_env"` // names only
	Args       []string       `json:"args"`
	// Selection says which of the tasks at Path were meant; nil = all.
	Selection *selection.Selection `json:"selection,omitempty"`
}

// Environment is what the run ran on.
type Environment struct {
	Docker     string            `json:"docker"`
	API        string            `json:"api"`
	Engine     string            `json:"engine"`
	Host       string            `json:"host"`
	HostSource string            `json:"host_source"`
	OS         string            `json:"os"`
	Arch       string            `json:"arch"`
	Kernel     string            `json:"kernel"`
	Images     map[string]string `json:"images"` // reference -> image id
}

// Case is one case's result.
type Case struct {
	ID              string           `json:"id"`
	LegacyID        string           `json:"legacy_id"`
	Runner          string           `json:"runner"`
	Task            TaskRef          `json:"task"`
	Status          string           `json:"status"`
	Score           *float64         `json:"score"`
	ScoreDerived    bool             `json:"score_derived"`
	ContractVersion *int             `json:"contract_version"`
	Scores          []verifier.Score `json:"scores"`
	Result          Result           `json:"result"`
	Error           *Fault           `json:"error,omitempty"`
	Warnings        []Warning        `json:"warnings"`
	Timing          Timing           `json:"timing"`
	Artifacts       Artifacts        `json:"artifacts"`
	// Steps are those of a task that has some, in their order.
	Steps []StepResult `json:"steps,omitempty"`
	// Tags are the task's own, with its keywords, sorted.
	Tags []string `json:"tags,omitempty"`
	// Trial counts the trials of a case from 1, where a run does several of each. It is 0 where it does one, and for the case as a whole.
	Trial int `json:"trial,omitempty"`
	// Tries are the earlier tries of the trial, which the machine kept from a verdict; the last one is the trial itself.
	Tries []Try `json:"tries,omitempty"`
	// Trials are the trials of a case of which a run does several, by their numbers. The case then holds what all of them come to.
	Trials []Case `json:"trials,omitempty"`
}

// Try is a try of a trial that is not its result.
type Try struct {
	Code    string  `json:"code"`
	Phase   string  `json:"phase"`
	Message string  `json:"message"`
	Trial   string  `json:"trial"` // its folder, relative to run.json
	Seconds float64 `json:"seconds"`
}

// StepResult is the result of one step. Its status is Skipped where an earlier step ended the task.
type StepResult struct {
	Name            string           `json:"name"`
	Status          string           `json:"status"`
	Score           *float64         `json:"score"`
	ScoreDerived    bool             `json:"score_derived"`
	ContractVersion *int             `json:"contract_version"`
	Scores          []verifier.Score `json:"scores"`
	AgentExit       *int             `json:"agent_exit"`
	Error           *Fault           `json:"error,omitempty"`
	Artifacts       StepArtifacts    `json:"artifacts"`
}

// TaskRef names a task and its content.
type TaskRef struct {
	Path     string `json:"path"`
	Name     string `json:"name"`
	Checksum string `json:"checksum"`
	// Source says where the task is from, when that is a commit of a repository.
	Source *TaskSource `json:"source,omitempty"`
}

// TaskSource is a folder of a commit.
type TaskSource struct {
	Repository string `json:"repository"` // its address, or its absolute path on the machine
	Commit     string `json:"commit"`     // 40 hexadecimal digits
	Path       string `json:"path"`       // of the folder in it, with forward slashes
}

// Result is what the agent did.
type Result struct {
	ObservedModel *string  `json:"observed_model"`
	Tokens        *Tokens  `json:"tokens"`
	Cost          *float64 `json:"cost"`
	AgentExit     *int     `json:"agent_exit"`
}

// Tokens are summed over the trial.
type Tokens struct {
	Input  *int64 `json:"input"` // cached ones included
	Cached *int64 `json:"cached"`
	Output *int64 `json:"output"`
}

// Fault says why a case is incomplete.
type Fault struct {
	Code    string   `json:"code"`
	Phase   string   `json:"phase"`
	Step    string   `json:"step,omitempty"`      // within setup: "build", "agent_setup", "start" or "prepare"
	Task    string   `json:"task_step,omitempty"` // the task's step, where it has several
	Message string   `json:"message"`
	Key     string   `json:"key,omitempty"`
	Value   any      `json:"value,omitempty"`
	Rule    string   `json:"rule,omitempty"`
	Service string   `json:"service,omitempty"`
	Exit    *int     `json:"exit,omitempty"`
	Seconds *float64 `json:"seconds,omitempty"`
	Limit   *float64 `json:"limit_seconds,omitempty"`
	Source  string   `json:"limit_source,omitempty"`
	Lines   []string `json:"last_lines,omitempty"`
	Files   []string `json:"files,omitempty"`
	Hint    string   `json:"hint,omitempty"`
}

// The error codes of a case. Those that grading gives are named by package verifier.
const (
	CodeRewardInvalid         = verifier.CodeRewardInvalid
	CodeContractUnsupported   = verifier.CodeContractUnsupported
	CodeRewardMissing         = verifier.CodeRewardMissing
	CodeNoScores              = verifier.CodeNoScores
	CodeVerifierError         = verifier.CodeVerifierError
	CodeVerifierTimeout       = verifier.CodeVerifierTimeout
	CodeAgentTimeout          = "agent_timeout"
	CodeAgentError            = "agent_error"
	CodeSetupFailed           = "setup_failed"
	CodeSetupTimeout          = "setup_timeout"
	CodeBuildFailed           = "build_failed"
	CodeSidecarFailed         = "sidecar_failed"
	CodeSandboxLost           = "sandbox_lost"
	CodeTeardownLeak          = "teardown_leak"
	CodeModelMismatch         = "model_mismatch"
	CodeArtifactMissing       = "artifact_missing"
	CodeFakeEvidenceMissing   = "fake_evidence_missing"
	CodeFakeContractViolation = "fake_contract_violation"
	CodeInterrupted           = "interrupted"
	CodeInternal              = "internal"
)

// Warning is something that a reader should know although it decided nothing.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Timing is in seconds of the monotonic clock; null = the phase did not begin.
type Timing struct {
	Build      *float64 `json:"build"`
	Start      *float64 `json:"start"`
	Prepare    *float64 `json:"prepare,omitempty"` // of all steps, where there is something to prepare
	Setup      *float64 `json:"setup"`             // build, start and prepare
	AgentSetup *float64 `json:"agent_setup"`
	Agent      *float64 `json:"agent"`
	Collect    *float64 `json:"collect"`
	Verifier   *float64 `json:"verifier"`
	Teardown   *float64 `json:"teardown"`
	Queued     *float64 `json:"queued,omitempty"` // waited for room on the machine; not in Total
	Total      float64  `json:"total"`
}

// Artifacts are paths relative to run.json; empty = there is none.
type Artifacts struct {
	Trial string `json:"trial"`
	Logs  string `json:"logs"`
	StepArtifacts
	Fakes []string `json:"fakes"`
}

// StepArtifacts are those that each step of a task has.
type StepArtifacts struct {
	Rewards    string `json:"rewards,omitempty"`
	Details    string `json:"details,omitempty"`
	Trajectory string `json:"trajectory,omitempty"`
	Grade      string `json:"grade,omitempty"`
}

// Summary counts the cases. The mean is over complete cases that have a score; null when there is none.
type Summary struct {
	Planned    int            `json:"planned"`
	Total      int            `json:"total"`
	Complete   int            `json:"complete"`
	Scored     int            `json:"scored"`
	NoScore    int            `json:"no_score"`
	Incomplete int            `json:"incomplete"`
	Missing    int            `json:"missing"` // planned and not run
	MeanScore  *float64       `json:"mean_score"`
	ByError    map[string]int `json:"by_error"`
	// Trials counts the trials, where a run does several of each case.
	Trials *TrialCounts `json:"trials,omitempty"`
}

// TrialCounts counts trials.
type TrialCounts struct {
	Planned    int `json:"planned"`
	Complete   int `json:"complete"`
	Incomplete int `json:"incomplete"`
	Missing    int `json:"missing"`
}
