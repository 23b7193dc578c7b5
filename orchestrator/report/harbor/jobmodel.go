package harbor

// JobResult is the job's result.json.
type JobResult struct {
	ID         string   `json:"id"`
	StartedAt  string   `json:"started_at"`
	UpdatedAt  *string  `json:"updated_at"`
	FinishedAt *string  `json:"finished_at"`
	Total      int      `json:"n_total_trials"`
	Stats      JobStats `json:"stats"`
}

// JobStats is what the trials of a job come to.
type JobStats struct {
	Completed    int              `json:"n_completed_trials"`
	Errored      int              `json:"n_errored_trials"`
	Running      int              `json:"n_running_trials"` // always 0: the files are made when nothing runs any more
	Pending      int              `json:"n_pending_trials"`
	Cancelled    int              `json:"n_cancelled_trials"`
	Retries      int              `json:"n_retries"`
	Evals        map[string]*Eval `json:"evals"`
	InputTokens  *int64           `json:"n_input_tokens"`
	CacheTokens  *int64           `json:"n_cache_tokens"`
	OutputTokens *int64           `json:"n_output_tokens"`
	CostUSD      *float64         `json:"cost_usd"`
}

// Eval is Harbor's AgentDatasetStats: the trials of one agent, model and dataset.
type Eval struct {
	Trials  int                  `json:"n_trials"` // with rewards
	Errors  int                  `json:"n_errors"`
	Metrics []map[string]float64 `json:"metrics"`
	// PassAtK has k as its keys.
	PassAtK map[string]float64 `json:"pass_at_k"`
	// Rewards are the trials by reward and by value, the values as Python writes them.
	Rewards map[string]map[string][]string `json:"reward_stats"`
	// Exceptions are the trials by the type of their exception.
	Exceptions map[string][]string `json:"exception_stats"`
}

// JobConfig is the job's config.json.
type JobConfig struct {
	JobName  string `json:"job_name"`
	JobsDir  string `json:"jobs_dir"`
	Attempts int    `json:"n_attempts"`
	Multipliers
	Debug       bool              `json:"debug"`
	Concurrent  int               `json:"n_concurrent_trials"`
	Quiet       bool              `json:"quiet"`
	Retry       RetryConfig       `json:"retry"`
	Environment EnvironmentConfig `json:"environment"`
	Verifier    VerifierConfig    `json:"verifier"`
	Metrics     []string          `json:"metrics"`
	Agents      []AgentConfig     `json:"agents"`
	Datasets    []string          `json:"datasets"`
	Tasks       []TaskConfig      `json:"tasks"`
	Artifacts   []string          `json:"artifacts"`
}

// RetryConfig says how often a trial is tried again. Which ones are is not said: our rule goes by error codes.
type RetryConfig struct {
	Max int `json:"max_retries"`
}
