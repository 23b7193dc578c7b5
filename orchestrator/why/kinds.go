package why

import "github.com/seatrial/seatrial/orchestrator"

// Kind is a code, and whose doing what it names can be.
type Kind struct {
	Code  string
	Sides []Side
	// Cause says that it can be the reason; else it is only ever a fact.
	Cause bool
}

// Kinds is the catalogue, the strongest first: of several causes the first one here is the verdict. docs/why.md describes each.
func Kinds() []Kind {
	either := []Side{Agent, Task}
	return []Kind{
		{FullScore, []Side{None}, false},
		{NoScore, []Side{None}, false},
		// The trial never came to a verdict, whatever agent and tests did.
		{orchestrator.CodeInterrupted, []Side{Machine}, true},
		{EngineDiskFull, []Side{Machine}, true},
		{ImageUnavailable, []Side{Machine, Task, Unknown}, true},
		{orchestrator.CodeInternal, []Side{Machine}, true},
		{FailedTogether, []Side{Machine}, true},
		{orchestrator.CodeSandboxLost, []Side{Machine, Agent, Task, Unknown}, true},
		{orchestrator.CodeBuildFailed, []Side{Task}, true},
		{SetupOOM, []Side{Task, Machine}, true},
		{orchestrator.CodeSetupFailed, []Side{Task, Unknown}, true},
		{orchestrator.CodeSetupTimeout, []Side{Task, Unknown}, true},
		{orchestrator.CodeSidecarFailed, []Side{Task, Machine}, true},
		{orchestrator.CodeFakeContractViolation, []Side{Task}, true},
		{orchestrator.CodeFakeEvidenceMissing, []Side{Unknown}, true},
		{orchestrator.CodeModelMismatch, []Side{Agent}, true},
		{orchestrator.CodeArtifactMissing, either, true},
		// The tests said nothing that counts.
		{TestsNotStarted, []Side{Task, Unknown}, true},
		{TestsOOM, []Side{Task, Machine}, true},
		{AgentNotStarted, []Side{Agent, Task, Unknown}, true},
		{orchestrator.CodeAgentError, either, true},
		{DiskFull, []Side{Machine, Unknown}, true},
		{orchestrator.CodeVerifierError, []Side{Task}, true},
		{orchestrator.CodeContractUnsupported, []Side{Task}, true},
		{orchestrator.CodeRewardInvalid, []Side{Task}, true},
		{HostBusy, []Side{Machine}, true},
		{orchestrator.CodeVerifierTimeout, []Side{Task}, true},
		{TestsSignal, []Side{Task}, true},
		// How the agent ended.
		{orchestrator.CodeAgentTimeout, either, true},
		{AgentOOM, []Side{Agent, Task, Machine}, true},
		{PidsLimit, either, true},
		{AgentSignal, either, true},
		{AgentLost, either, true},
		{orchestrator.CodeRewardMissing, []Side{Task}, true},
		{orchestrator.CodeNoScores, []Side{Task}, true},
		{SubmissionUnreadable, either, true},
		{AgentFailed, either, true},
		{CPUThrottled, []Side{Task}, true},
		{AgentIdle, either, true},
		// What the verdict itself says.
		{ReferenceFailed, []Side{Task}, true},
		{Flaky, []Side{Task, Unknown}, true},
		{Judged, []Side{Agent}, true},
		{Unexplained, []Side{Unknown}, true},
		// Facts.
		{NothingDone, []Side{Task, Unknown}, false},
		{RewardPlanted, []Side{Agent}, false},
		{Restarted, []Side{Unknown}, false},
		{StepsSkipped, []Side{Unknown}, false},
		{EgressRefused, []Side{Task, Unknown}, false},
		{FakesViolated, []Side{Task}, false},
		{EarlierTries, []Side{Machine}, false},
		{Leaks, []Side{Machine}, false},
		{ClockGap, []Side{Machine}, false},
		{EngineRetries, []Side{Machine}, false},
		{LimitsNotEnforced, []Side{Machine}, false},
		{Beside, []Side{Machine}, false},
	}
}

// The codes that are not those of errors.
const (
	FullScore            = "full_score"
	NoScore              = "no_score"
	EngineDiskFull       = "engine_disk_full"
	ImageUnavailable     = "image_unavailable"
	FailedTogether       = "failed_together"
	SetupOOM             = "setup_oom"
	TestsNotStarted      = "tests_not_started"
	TestsOOM             = "tests_oom"
	TestsSignal          = "tests_signal"
	AgentNotStarted      = "agent_not_started"
	AgentOOM             = "agent_oom"
	AgentSignal          = "agent_signal"
	AgentLost            = "agent_lost"
	AgentFailed          = "agent_failed"
	AgentIdle            = "agent_idle"
	SubmissionUnreadable = "submission_unreadable"
	PidsLimit            = "pids_limit"
	DiskFull             = "disk_full"
	HostBusy             = "host_busy"
	CPUThrottled         = "cpu_throttled"
	ReferenceFailed      = "reference_failed"
	Flaky                = "flaky"
	Judged               = "judged"
	Unexplained          = "unexplained"
	NothingDone          = "nothing_done"
	RewardPlanted        = "reward_planted"
	Restarted            = "restarted"
	StepsSkipped         = "steps_skipped"
	EgressRefused        = "egress_refused"
	FakesViolated        = "fakes_violated"
	EarlierTries         = "earlier_tries"
	Leaks                = "leaks"
	ClockGap             = "clock_gap"
	EngineRetries        = "engine_retries"
	LimitsNotEnforced    = "limits_not_enforced"
	Beside               = "beside"
)
