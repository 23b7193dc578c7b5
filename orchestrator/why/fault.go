package why

import (
	"fmt"
	"slices"
	"strings"

	imagefaults "github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/egress"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// faultProof is what the record has of the trial's error, besides the message that the sentence has.
func (e *Evidence) faultProof() []string {
	f := e.fault()
	out := []string{proof("case.error.code", f.Code), proof("case.error.phase", f.Phase)}
	for _, p := range []struct{ name, value string }{{"step", f.Step}, {"task_step", f.Task}, {"rule", f.Rule}, {"service", f.Service}, {"key", f.Key}, {"limit_source", f.Source}} {
		if p.value != "" {
			out = append(out, proof("case.error."+p.name, p.value))
		}
	}
	if f.Value != nil {
		out = append(out, proof("case.error.value", fmt.Sprint(f.Value)))
	}
	if f.Exit != nil {
		out = append(out, proof("case.error.exit", *f.Exit))
	}
	if f.Limit != nil {
		out = append(out, proof("case.error.limit_seconds", *f.Limit))
	}
	if n := len(f.Lines); n > 0 {
		out = append(out, proof("case.error.last_lines, the last", f.Lines[n-1]))
	}
	return out
}

// faulty is a finding that the trial's error makes.
func (e *Evidence) faulty(side Side, code, sentence string) []Finding {
	if strings.TrimSpace(sentence) == "" {
		sentence = "the record names it, and says no more"
	}
	return []Finding{{Side: side, Code: code, Cause: true, Sentence: sentence, Proof: e.faultProof()}}
}

// noSpace is the kernel's text for a full disk, all of it that engines pass on.
const noSpace = "no space left on device"

// space: the engine's disk was full when an image was made or the stack started.
func space(e *Evidence) []Finding {
	f := e.fault()
	if f.Code != orchestrator.CodeSetupFailed || f.Exit != nil || !strings.Contains(strings.ToLower(f.Message), noSpace) {
		return nil
	}
	out := e.faulty(Machine, EngineDiskFull, "the engine's disk was full: "+clip(f.Message))
	out[0].Next = "free space there, as with `docker system prune`, and run it again"
	return out
}

// images: an image could not be had. What a registry says decides whose doing that is.
func images(e *Evidence) []Finding {
	f := e.fault()
	base := f.Code == orchestrator.CodeBuildFailed && f.Rule == string(imagefaults.BaseGone)
	pulled := f.Code == orchestrator.CodeSetupFailed && slices.Contains([]string{string(imagefaults.NotFound), string(imagefaults.Denied), string(imagefaults.Unreachable),
		string(imagefaults.RateLimited), string(imagefaults.NotPulled), string(imagefaults.OtherPull)}, f.Rule)
	if !base && !pulled || len(space(e)) > 0 {
		return nil
	}
	side := Unknown
	switch imagefaults.PullReason(f.Rule) {
	case imagefaults.NotFound:
		side = Task
	case imagefaults.Unreachable, imagefaults.RateLimited, imagefaults.NotPulled, imagefaults.Denied:
		side = Machine
	case imagefaults.OtherPull:
	}
	return e.faulty(side, ImageUnavailable, "an image could not be had: "+clip(f.Message))
}

// died: a container that the trial needed ended before its time.
func died(e *Evidence) []Finding {
	f := e.fault()
	switch f.Code {
	case orchestrator.CodeSidecarFailed:
		side, whose := Task, "a service of the task"
		if f.Service == egress.Service || e.Lock != nil && e.Lock.Images[f.Service].Program {
			side, whose = Machine, "a service of seatrial's own"
		}
		return e.faulty(side, f.Code, fmt.Sprintf("%s, %s, failed: %s", whose, clip(f.Service), clip(f.Message)))
	case orchestrator.CodeSandboxLost:
		return lost(e)
	}
	return nil
}

// lost: the agent's or the verifier's container, or the engine, was gone in the middle.
func lost(e *Evidence) []Finding {
	f := e.fault()
	if f.Service == "" {
		return e.faulty(Machine, f.Code, "the engine lost the trial: "+clip(f.Message))
	}
	side, text := Unknown, clip(f.Message)+"; the record does not say what ended it"
	if strings.Contains(f.Message, "(out of memory)") { // as sidecar.DeadError puts it
		side, text = e.agent(), clip(f.Message)
		if f.Phase != string(orchestrator.PhaseAgent) {
			side = Task
		}
		if e.unlimited() {
			side, text = Machine, text+"; the container had no limit of its own, so that it was the machine's memory that was out"
		}
	}
	return e.faulty(side, f.Code, text)
}

// machineCodes are the errors of which several at a time, in different cases, tell of the machine.
func machineCodes() []string { return orchestrator.RetryCodes() }

// together: trials of other cases failed in the same way at the same time.
func together(e *Evidence) []Finding {
	f := e.fault()
	if !slices.Contains(machineCodes(), f.Code) || f.Exit != nil || f.Rule != "" {
		return nil
	}
	out := Finding{Side: Machine, Code: FailedTogether, Cause: true, Proof: []string{proof("case.error.code", f.Code)}}
	cases := map[string]bool{e.Trial.Case.ID: true}
	var same []string
	for _, n := range e.Beside {
		if n.Outcome.Code == f.Code && !cases[n.Case] {
			cases[n.Case] = true
			same = append(same, proof("trials/"+clip(n.Folder)+"/trial.json: case.error.code", f.Code))
		}
	}
	if len(same) == 0 {
		return nil
	}
	out.Sentence = fmt.Sprintf("%s, under way at the same time, failed with %s as well", plural(len(same), "trial")+" of other cases", clip(f.Code))
	out.Proof = append(out.Proof, some(same)...)
	return []Finding{out}
}

// covers says by which findings, more exact ones, an error is explained.
func covers() map[string][]string {
	return map[string][]string{
		orchestrator.CodeSetupFailed:   {EngineDiskFull, ImageUnavailable},
		orchestrator.CodeBuildFailed:   {ImageUnavailable},
		orchestrator.CodeAgentError:    {AgentNotStarted},
		orchestrator.CodeVerifierError: {TestsNotStarted, TestsOOM, TestsSignal},
	}
}

// ended is the trial's error itself, where nothing that was found before says more of it.
func ended(e *Evidence, found []Finding) []Finding {
	f := e.fault()
	by := append(covers()[f.Code], f.Code)
	if f.Code == "" || slices.ContainsFunc(found, func(x Finding) bool { return slices.Contains(by, x.Code) }) {
		return nil
	}
	text := clip(f.Message)
	switch f.Code {
	case orchestrator.CodeInterrupted:
		return e.faulty(Machine, f.Code, "the run was ended from outside, and says nothing of agent and task: "+text)
	case orchestrator.CodeInternal:
		return e.faulty(Machine, f.Code, "the tool or the engine could not go on: "+text)
	case orchestrator.CodeSetupFailed, orchestrator.CodeSetupTimeout:
		return setup(e)
	case orchestrator.CodeBuildFailed:
		return e.faulty(Task, f.Code, "an image of the task could not be built: "+text)
	case orchestrator.CodeFakeContractViolation:
		return e.faulty(Task, f.Code, "the task's fakes broke their own contract: "+text)
	case orchestrator.CodeFakeEvidenceMissing:
		return e.faulty(Unknown, f.Code, "what the fakes saw is not known: "+text)
	case orchestrator.CodeModelMismatch:
		return e.faulty(Agent, f.Code, "another model than the one asked for was used: "+text)
	case orchestrator.CodeArtifactMissing:
		return e.faulty(e.agent(), f.Code, "what the task requires was not there when the agent had ended: "+text)
	case orchestrator.CodeAgentError:
		if f.Step == string(orchestrator.PhaseInstall) {
			text = "the agent could not be installed: " + text
		}
		return e.faulty(e.agent(), f.Code, text)
	case orchestrator.CodeAgentTimeout:
		return e.faulty(e.agent(), f.Code, text)
	case orchestrator.CodeVerifierError, orchestrator.CodeVerifierTimeout, orchestrator.CodeContractUnsupported, orchestrator.CodeRewardInvalid, orchestrator.CodeRewardMissing, orchestrator.CodeNoScores:
		return e.faulty(Task, f.Code, text)
	}
	return nil // a code of a newer version, or of nobody's
}

// setup: the task could not be made ready. Where neither the task's own scripts and services nor the engine are named, it may have been either.
func setup(e *Evidence) []Finding {
	f := e.fault()
	side, text := Unknown, clip(f.Message)
	switch {
	case f.Rule == "setup.sh":
		side, text = Task, "the task's setup.sh failed: "+text
	case f.Code == orchestrator.CodeSetupTimeout && f.Step == string(orchestrator.PhaseBuild):
		text += "; whether what the image is made of or the machine was slow is not recorded, see build.log"
	case f.Service == stack.Main && (f.Exit != nil || f.Code == orchestrator.CodeSetupTimeout):
		side, text = Task, "the agent's container was not ready: "+text
	case f.Exit != nil && f.Service == "":
		side, text = Task, "the task's health check failed: "+text
	case f.Step == "plan":
		text += "; nothing of it was run"
	}
	return e.faulty(side, f.Code, text)
}
