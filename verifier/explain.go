package verifier

import (
	"fmt"
	"strings"
)

// Conclude judges f and then looks at how the tests ended. Tests that never started, were cut off by their limit, or whose
// end is unknown give a fault whatever files there are, since a half-written reward is no evidence. Tests that failed or
// were killed but left valid rewards are complete, with a warning, as in Harbor.
func Conclude(f Files, run Run, opt Options) Verdict {
	v := Judge(f, opt)
	if fault := overriding(f, run, opt); fault != nil {
		return Verdict{ContractVersion: v.ContractVersion, Scores: []Score{}, Source: v.Source, Fault: fault, Warnings: v.Warnings}
	}
	switch {
	case v.Fault == nil:
		v.Warnings = append(v.Warnings, afterwards(run)...)
	case f.RewardJSON == nil && f.RewardTXT == nil && v.Fault.Code != CodeContractUnsupported:
		why := Explain(f, run, opt)
		if v.Fault.Code == CodeNoScores && why.Reason == ReasonExitZero {
			why.Code, why.Phase, why.Message = v.Fault.Code, v.Fault.Phase, v.Fault.Message
		}
		v.Fault = why
	default:
		v.Fault.Test = run.end(opt)
	}
	return v
}

// Explain says why there is no reward, from how the tests ended and what they left.
func Explain(f Files, run Run, opt Options) *Fault {
	if fault := overriding(f, run, opt); fault != nil {
		return fault
	}
	fault := &Fault{Code: CodeVerifierError, Phase: PhaseVerifier, Test: run.end(opt), Found: found(f, opt)}
	var what, advice string
	switch {
	case run.OOMKills > 0 && (run.Signal != "" || run.Exit != 0):
		fault.Reason = ReasonOOM
		what = fmt.Sprintf("%s ended %s without writing a reward; the memory limit of the container killed %d of its processes", run.script(), run.how(), run.OOMKills)
		advice = "raise memory_mb in [environment] of task.toml, or make the tests use less"
	case run.Signal != "":
		fault.Reason = ReasonSignal
		what = fmt.Sprintf("%s was killed by %s after %s without writing a reward", run.script(), run.Signal, seconds(run.Duration))
		advice = "see its output for what killed it"
	case run.Exit != 0:
		fault.Code, fault.Reason = CodeRewardMissing, ReasonExitNonzero
		what = fmt.Sprintf("%s ended %s without writing a reward", run.script(), run.how())
		advice = exitHint(run.Exit)
	default:
		fault.Code, fault.Reason = CodeRewardMissing, ReasonExitZero
		what = fmt.Sprintf("%s ended %s but wrote neither %s nor %s; %s", run.script(), run.how(), RewardJSONName, RewardTXTName, foundText(fault.Found))
		advice = "let it write a reward on every path"
	}
	fault.Message = opt.message("%s: %s%s", what, advice, run.lastLine(opt))
	return fault
}

// overriding is the fault of a run whose files do not count, or nil.
func overriding(f Files, run Run, opt Options) *Fault {
	fault := &Fault{Code: CodeVerifierError, Phase: PhaseVerifier, Test: run.end(opt)}
	switch {
	case run.StartKind != "":
		fault.Reason = run.StartKind
		fault.Message = opt.message("%s was not started: %s", run.script(), startText(run.StartKind, opt.text(run.StartDetail, maxShown)))
	case run.LimitFired:
		fault.Code, fault.Reason, fault.Found = CodeVerifierTimeout, ReasonLimit, found(f, opt)
		fault.Message = opt.message("%s was ended by its limit of %s%s%s: raise the limit, or make the tests faster%s",
			run.script(), seconds(run.Limit), run.limitSource(), rewardNote(f), run.lastLine(opt))
	case run.Lost:
		fault.Reason, fault.Found = ReasonLost, found(f, opt)
		fault.Message = opt.message("the container of the tests died while %s ran%s: how it ended is unknown%s", run.script(), rewardNote(f), run.lastLine(opt))
	default:
		return nil
	}
	return fault
}

func rewardNote(f Files) string {
	if f.RewardJSON == nil && f.RewardTXT == nil {
		return ""
	}
	return "; the reward that it left does not count, since it may be half done"
}

// afterwards warns of tests that went wrong and yet left valid rewards.
func afterwards(run Run) []Warning {
	w := &warnings{}
	switch {
	case run.Signal != "":
		w.add(WarnVerifierSignal, "%s was killed by %s, but left valid rewards, which count", run.script(), run.Signal)
	case run.Exit != 0:
		w.add(WarnVerifierExit, "%s ended with exit code %d, but left valid rewards, which count", run.script(), run.Exit)
	}
	if run.OOMKills > 0 {
		w.add(WarnVerifierOOM, "the memory limit killed %d processes while %s ran; the rewards may tell of that rather than of the agent's work", run.OOMKills, run.script())
	}
	return w.all()
}

func (r Run) how() string {
	if r.Signal != "" {
		return fmt.Sprintf("by %s after %s", r.Signal, seconds(r.Duration))
	}
	return fmt.Sprintf("with exit code %d after %s", r.Exit, seconds(r.Duration))
}

// lastLine is the last line of the output, as the end of a message.
func (r Run) lastLine(opt Options) string {
	lines := strings.Split(strings.TrimSpace(lastLines(r.Output, opt)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return "; it printed nothing"
	}
	return fmt.Sprintf("; its last line was %q", clip(last, maxShown))
}

func exitHint(exit int) string {
	switch {
	case exit == 126:
		return "126 is a shell's word for a command that could not be executed"
	case exit == 127:
		return "127 is a shell's word for a command that was not found, often a tool that the image lacks"
	case exit > 128 && exit <= 128+64:
		return fmt.Sprintf("%d is a shell's word for a command that was killed by signal %d", exit, exit-128)
	default:
		return "let it write a reward on every path, and see its output for what failed"
	}
}

func startText(kind, detail string) string {
	text, ok := map[string]string{
		StartNotFound:    "there is no such file; put it into the task's tests folder, or into the image of a separate verifier",
		StartPermission:  "it may not be executed; check its mode, its user and the mount that it lies on",
		StartInterpreter: "the interpreter that its first line names is not in the image; install it there or name another one",
		StartCRLF:        "its first line ends in a carriage return, so that no interpreter has that name; save it with Unix line ends",
		StartFormat:      "it is neither a script nor a program for this machine",
		StartUser:        "the user or group of [verifier] in task.toml is not in the image",
		StartDir:         "its working directory does not exist in the container",
		StartPrepare:     "the folders for the tests could not be prepared",
		StartSwitch:      "its user could not be switched to",
	}[kind]
	switch {
	case !ok && detail == "":
		return "the reason is not known"
	case !ok:
		return detail
	case detail == "":
		return text
	default:
		return text + " (" + detail + ")"
	}
}
