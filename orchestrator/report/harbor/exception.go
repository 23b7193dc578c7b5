package harbor

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

// Names of Harbor's exceptions. What Harbor has no name for is a RuntimeError, as there.
const (
	agentTimeout       = "AgentTimeoutError"
	agentExit          = "NonZeroAgentExitCodeError"
	agentSetupTimeout  = "AgentSetupTimeoutError"
	environmentTimeout = "EnvironmentStartTimeoutError"
	unhealthy          = "HealthcheckError"
	verifierTimeout    = "VerifierTimeoutError"
	rewardMissing      = "RewardFileNotFoundError"
	rewardEmpty        = "RewardFileEmptyError"
	rewardUnreadable   = "VerifierOutputParseError"
	cancelled          = "CancelledError"
	other              = "RuntimeError"
)

// Exception is the name that Harbor has for a fault.
func Exception(f *orchestrator.Fault) string {
	switch f.Code {
	case orchestrator.CodeAgentTimeout:
		return agentTimeout
	case orchestrator.CodeAgentError:
		return agentExit
	case orchestrator.CodeVerifierTimeout:
		return verifierTimeout
	case orchestrator.CodeRewardMissing:
		return rewardMissing
	case orchestrator.CodeNoScores:
		return rewardEmpty
	case orchestrator.CodeRewardInvalid, orchestrator.CodeContractUnsupported:
		return rewardUnreadable
	case orchestrator.CodeInterrupted:
		return cancelled
	case orchestrator.CodeSetupTimeout:
		return late(f.Step)
	case orchestrator.CodeSetupFailed:
		if f.Exit != nil && f.Service == "" && f.Rule == "" { // only a health check ends like that
			return unhealthy
		}
	}
	return other
}

// late is the exception of a step of the setup that took too long.
func late(step string) string {
	switch orchestrator.Phase(step) {
	case orchestrator.PhaseBuild, orchestrator.PhaseStart:
		return environmentTimeout
	case orchestrator.PhaseInstall:
		return agentSetupTimeout
	default:
		return other
	}
}

// Bounds of texts, in bytes.
const (
	mostMessage   = 8 << 10
	mostTraceback = 64 << 10
)

// exceptionOf is a fault in Harbor's form. The traceback is what our record says of it: there is none of Python's.
func exceptionOf(f *orchestrator.Fault, at string) *ExceptionInfo {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in phase %s", f.Code, f.Phase)
	if f.Step != "" {
		fmt.Fprintf(&b, " (%s)", f.Step)
	}
	if f.Limit != nil {
		fmt.Fprintf(&b, "\nlimit: %g s (%s)", *f.Limit, cmp.Or(f.Source, "not said"))
	}
	if f.Exit != nil {
		fmt.Fprintf(&b, "\nexit code: %d", *f.Exit)
	}
	if f.Hint != "" {
		b.WriteString("\n" + f.Hint)
	}
	for i, l := range f.Lines {
		if i == 0 {
			b.WriteString("\nlast lines of output:")
		}
		b.WriteString("\n" + l)
	}
	return &ExceptionInfo{Type: Exception(f), Message: report.Cut(f.Code+": "+f.Message, mostMessage), Traceback: report.Cut(b.String(), mostTraceback), OccurredAt: at}
}

// warned is how the agent of a trial that was graded all the same had ended, where Harbor records that as well. It does not for a solution that fails.
func warned(run *orchestrator.RunRecord, warnings []orchestrator.Warning, at string) *ExceptionInfo {
	for _, w := range warnings {
		switch {
		case w.Code == "agent_timed_out":
			return &ExceptionInfo{Type: agentTimeout, Message: report.Cut(w.Message, mostMessage), OccurredAt: at}
		case w.Code == orchestrator.CodeAgentError && run.Candidate.Agent != string(orchestrator.AgentOracle):
			return &ExceptionInfo{Type: agentExit, Message: report.Cut(w.Message, mostMessage), OccurredAt: at}
		}
	}
	return nil
}

// ended is how the agent of a step had ended, where that is an exception of Harbor's.
func ended(run *orchestrator.RunRecord, e *orchestrator.Exec, at string) *ExceptionInfo {
	switch {
	case e == nil:
	case e.Limit != "":
		return &ExceptionInfo{Type: agentTimeout, Message: fmt.Sprintf("the agent was ended after %.1f s by its limit of %g s", e.Seconds, e.LimitSeconds), OccurredAt: at}
	case e.Exit != nil && *e.Exit != 0 && run.Candidate.Agent != string(orchestrator.AgentOracle):
		return &ExceptionInfo{Type: agentExit, Message: fmt.Sprintf("the agent ended with exit code %d", *e.Exit), OccurredAt: at}
	}
	return nil
}
