package verifier

// Verdict is what the tests said, or why they said nothing that counts. A Verdict without a Fault is complete.
type Verdict struct {
	// Score is nil when the case is complete without a score, and whenever there is a Fault.
	Score *float64 `json:"score"`
	// Derived says that there was no reward, and Score is the plain mean of the other scores.
	Derived bool `json:"score_derived"`
	// ContractVersion is the rewards contract that was applied; nil when none was, or when the declared one is unknown.
	ContractVersion *int `json:"contract_version"`
	// Scores are sorted by name and include "reward" when it was given. They are empty when there is a Fault.
	Scores []Score `json:"scores"`
	// Source is the file that the rewards come from.
	Source   string    `json:"source,omitempty"`
	Fault    *Fault    `json:"error,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
}

// The states of a score or a criterion.
const (
	StatusScored        = "scored"
	StatusNotApplicable = "not_applicable"
)

// Score is one dimension of a verdict.
type Score struct {
	Name     string      `json:"name"`
	Value    *float64    `json:"value"` // finite; nil when not applicable
	Status   string      `json:"status"`
	Kind     string      `json:"kind,omitempty"`  // as the details say: programmatic, llm or agent
	Judge    string      `json:"judge,omitempty"` // the judging model or agent, as the details say
	Criteria []Criterion `json:"criteria"`
}

// Criterion is one reason for a score, copied from the details. Its value is not a score and may have any range.
type Criterion struct {
	Name      string   `json:"name"`
	Value     *float64 `json:"value"` // finite
	Status    string   `json:"status"`
	Reasoning string   `json:"reasoning,omitempty"`
	Optional  *bool    `json:"optional,omitempty"`
	Error     string   `json:"error,omitempty"`
}

// Fault says why a verdict does not count.
type Fault struct {
	Code    string `json:"code"`  // one of the Code constants
	Phase   string `json:"phase"` // "verifier" or "rewards"
	Message string `json:"message"`
	// Key, Value and Rule are the first of All, which is sorted by key.
	Key   string      `json:"key,omitempty"`
	Value string      `json:"value,omitempty"` // as it was written, cut to 200 bytes
	Rule  string      `json:"rule,omitempty"`  // one of the Rule constants
	File  string      `json:"file,omitempty"`  // in the verifier's folder
	All   []Violation `json:"all,omitempty"`
	// Reason tells apart the ways in which a reward can be missing; one of the Reason constants.
	Reason string `json:"reason,omitempty"`
	// Test is how the test script ended, when that is known.
	Test *TestEnd `json:"test,omitempty"`
	// Found lists what was in the verifier's folder when the reward was missing.
	Found []string `json:"found,omitempty"`
}

// Violation is one broken rule.
type Violation struct {
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
	Rule  string `json:"rule"`
	Text  string `json:"text"`
}

// TestEnd is how the test script ended.
type TestEnd struct {
	Started  bool    `json:"started"`
	ExitCode *int    `json:"exit_code,omitempty"` // nil when it never started or its end is unknown
	Signal   string  `json:"signal,omitempty"`
	Seconds  float64 `json:"seconds"`
	OOMKills int64   `json:"oom_kills,omitempty"`
	Output   string  `json:"output,omitempty"` // its last lines
}

// The codes of faults. Except for the first two, which are public, they are ours.
const (
	CodeRewardInvalid       = "reward_invalid"
	CodeContractUnsupported = "contract_unsupported"
	CodeRewardMissing       = "reward_missing"
	CodeNoScores            = "no_scores"
	CodeVerifierError       = "verifier_error"
	CodeVerifierTimeout     = "verifier_timeout"
)

// The rules that a reward file can break.
const (
	RuleFile   = "file"   // it is a regular file that could be read whole
	RuleSize   = "size"   // it is not too large and has not too many keys
	RuleJSON   = "json"   // it is one JSON text in UTF-8
	RuleObject = "object" // its top level is an object
	RuleKey    = "key"    // a key has 1 to 128 bytes and no control characters
	RuleUnique = "unique" // no key occurs twice
	RuleNumber = "number" // a value is a number
	RuleFinite = "finite" // a number is finite
	RuleRange  = "range"  // a number is from 0 to 1
	RuleEmpty  = "empty"  // an empty object needs details that show every dimension not applicable
)

// The phases of a fault.
const (
	PhaseVerifier = "verifier"
	PhaseRewards  = "rewards"
)
