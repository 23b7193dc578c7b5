package harbor

// The types are Harbor's published result models as far as both of its generations that were read agree (see docs/harbor-results.md): harbor.models.trial.result,
// harbor.models.trial.config, harbor.models.job.result, harbor.models.job.config. Every field is written, null where there is nothing to say, as Harbor does.

// TrialResult is a trial's result.json.
type TrialResult struct {
	ID               string          `json:"id"`
	TaskName         string          `json:"task_name"`
	TrialName        string          `json:"trial_name"`
	TrialURI         string          `json:"trial_uri"`
	TaskID           TaskID          `json:"task_id"`
	Source           *string         `json:"source"`
	TaskChecksum     string          `json:"task_checksum"`
	Config           TrialConfig     `json:"config"`
	AgentInfo        AgentInfo       `json:"agent_info"`
	AgentResult      *AgentResult    `json:"agent_result"`
	VerifierResult   *VerifierResult `json:"verifier_result"`
	ExceptionInfo    *ExceptionInfo  `json:"exception_info"`
	StartedAt        *string         `json:"started_at"`
	FinishedAt       *string         `json:"finished_at"`
	EnvironmentSetup *Timing         `json:"environment_setup"`
	AgentSetup       *Timing         `json:"agent_setup"`
	AgentExecution   *Timing         `json:"agent_execution"`
	Verifier         *Timing         `json:"verifier"`
	StepResults      []StepResult    `json:"step_results"`
}

// TaskID is Harbor's LocalTaskId, or its GitTaskId for a task of a repository.
type TaskID struct {
	Path        string  `json:"path"`
	GitURL      *string `json:"git_url,omitempty"`
	GitCommitID *string `json:"git_commit_id,omitempty"`
}

// AgentInfo says who did the work.
type AgentInfo struct {
	Name      string     `json:"name"`
	Version   string     `json:"version"`
	ModelInfo *ModelInfo `json:"model_info"`
}

// ModelInfo is the agent's model, as it was asked for.
type ModelInfo struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
}

// AgentResult is Harbor's AgentContext.
type AgentResult struct {
	InputTokens    *int64    `json:"n_input_tokens"` // cached ones included
	CacheTokens    *int64    `json:"n_cache_tokens"`
	OutputTokens   *int64    `json:"n_output_tokens"`
	CostUSD        *float64  `json:"cost_usd"`
	RolloutDetails *struct{} `json:"rollout_details"` // always null
	Metadata       Metadata  `json:"metadata"`
}

// Metadata is the one place of a result whose content Harbor leaves free.
type Metadata struct {
	Seatrial Own `json:"seatrial"`
}

// Own is what our record says and Harbor's has no place for.
type Own struct {
	CaseID     string   `json:"case_id"`
	Status     string   `json:"status"`
	Score      *float64 `json:"score"`
	ErrorCode  *string  `json:"error_code"`
	TaskDigest string   `json:"task_digest"`
	Tries      int      `json:"tries"` // this one included
}

// VerifierResult holds the rewards as the tests named them.
type VerifierResult struct {
	Rewards map[string]float64 `json:"rewards"`
}

// ExceptionInfo is why a trial, or a step, did not go as it should.
type ExceptionInfo struct {
	Type       string `json:"exception_type"`
	Message    string `json:"exception_message"`
	Traceback  string `json:"exception_traceback"`
	OccurredAt string `json:"occurred_at"`
}

// Timing is when a phase began and ended.
type Timing struct {
	StartedAt  *string `json:"started_at"`
	FinishedAt *string `json:"finished_at"`
}

// StepResult is how one step of a task went.
type StepResult struct {
	StepName       string          `json:"step_name"`
	AgentResult    *AgentResult    `json:"agent_result"` // always null: what agents use is counted for the trial
	VerifierResult *VerifierResult `json:"verifier_result"`
	ExceptionInfo  *ExceptionInfo  `json:"exception_info"`
	AgentExecution *Timing         `json:"agent_execution"`
	Verifier       *Timing         `json:"verifier"`
}

// TrialConfig is a trial's config.json.
type TrialConfig struct {
	Task      TaskConfig `json:"task"`
	TrialName string     `json:"trial_name"`
	TrialsDir string     `json:"trials_dir"`
	Multipliers
	Agent       AgentConfig       `json:"agent"`
	Environment EnvironmentConfig `json:"environment"`
	Verifier    VerifierConfig    `json:"verifier"`
	Artifacts   []string          `json:"artifacts"`
	JobID       *string           `json:"job_id"`
}

// Multipliers are the factors for limits.
type Multipliers struct {
	Timeout          float64  `json:"timeout_multiplier"`
	AgentTimeout     *float64 `json:"agent_timeout_multiplier"`
	VerifierTimeout  *float64 `json:"verifier_timeout_multiplier"`
	SetupTimeout     *float64 `json:"agent_setup_timeout_multiplier"`
	EnvironmentBuild *float64 `json:"environment_build_timeout_multiplier"`
}

// TaskConfig says which task.
type TaskConfig struct {
	Path        string  `json:"path"`
	GitURL      *string `json:"git_url"`
	GitCommitID *string `json:"git_commit_id"`
	Overwrite   bool    `json:"overwrite"`
	DownloadDir *string `json:"download_dir"`
	Source      *string `json:"source"`
}

// AgentConfig says which agent. Values of variables are in no record, and so not here.
type AgentConfig struct {
	Name         string            `json:"name"`
	ImportPath   *string           `json:"import_path"`
	ModelName    *string           `json:"model_name"`
	Timeout      *float64          `json:"override_timeout_sec"`
	SetupTimeout *float64          `json:"override_setup_timeout_sec"`
	MaxTimeout   *float64          `json:"max_timeout_sec"`
	Kwargs       map[string]string `json:"kwargs"`
	Env          map[string]string `json:"env"`
}

// EnvironmentConfig says where a trial ran.
type EnvironmentConfig struct {
	Type       string            `json:"type"`
	ImportPath *string           `json:"import_path"`
	ForceBuild bool              `json:"force_build"`
	Delete     bool              `json:"delete"`
	CPUs       *int              `json:"override_cpus"`
	MemoryMB   *int              `json:"override_memory_mb"`
	StorageMB  *int              `json:"override_storage_mb"`
	GPUs       *int              `json:"override_gpus"`
	Env        map[string]string `json:"env"`
	Kwargs     map[string]string `json:"kwargs"`
}

// VerifierConfig is how the tests are run.
type VerifierConfig struct {
	Timeout    *float64 `json:"override_timeout_sec"`
	MaxTimeout *float64 `json:"max_timeout_sec"`
	Disable    bool     `json:"disable"`
}
