package why

import (
	"fmt"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// doing is whose doing what a command does is.
func (e *Evidence) doing(c command) Side {
	if c.who == theAgent {
		return e.agent()
	}
	return Task
}

// of chooses the code for a command: the agent's own, or that of the task's.
func (c command) of(agents, tests string) string {
	if c.who == theAgent {
		return agents
	}
	return tests
}

// unstarted: a command never began. Some reasons are in the image, whoever's the command is.
func unstarted(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		if c.StartError == "" || c.who == setupSh {
			continue
		}
		side, why := e.doing(c), ""
		switch c.StartError {
		case shim.StartNotFound:
			why = "there is no such program or script in the image"
		case shim.StartPermission:
			why = "it may not be executed"
		case shim.StartInterpreter:
			why = "the interpreter that its first line names is not in the image"
		case shim.StartCRLF:
			why = "its first line ends in a carriage return"
		case shim.StartFormat:
			why = "it is neither a script nor a program for this machine"
		case shim.StartUser:
			side, why = Task, "its user or group is not in the image"
		case shim.StartDir:
			side, why = Task, "its working directory is not there"
		default:
			side, why = Unknown, "its container could not be made ready for it"
		}
		f := Finding{Side: side, Code: c.of(AgentNotStarted, TestsNotStarted), Cause: true, Sentence: fmt.Sprintf("%s never started%s: %s", c.who, c.in, why), Proof: []string{c.at("start_error", c.StartError)}}
		if m := e.fault().Message; m != "" {
			f.Proof = append(f.Proof, proof("case.error.message", m))
		}
		out = append(out, f)
	}
	return out
}

// limits: a command ran into its limit.
func limits(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		if c.Limit == "" || c.who == setupSh && e.fault().Code == orchestrator.CodeSetupTimeout {
			continue
		}
		how := "TERM was enough"
		if c.Limit == "kill" {
			how = "it took KILL"
		}
		code := c.of(orchestrator.CodeAgentTimeout, orchestrator.CodeVerifierTimeout)
		out = append(out, Finding{Side: e.doing(c), Code: code, Cause: true,
			Sentence: fmt.Sprintf("%s ran into the limit of %s%s (%s) and was ended after %s; %s", c.who, seconds(c.LimitSeconds), c.in, clip(c.LimitSource), seconds(c.Seconds), how),
			Proof:    []string{c.at("limit_fired", c.Limit), c.at("seconds", c.Seconds), c.at("limit_seconds", c.LimitSeconds), c.at("limit_source", c.LimitSource)}})
	}
	return out
}

// memory: the kernel killed processes of a command for want of memory.
func memory(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		n := known(c.OOMKills)
		if n == 0 {
			continue
		}
		f := Finding{Side: e.doing(c), Code: c.of(AgentOOM, TestsOOM), Cause: true, Proof: []string{c.at("oom_kills", n)}}
		if c.who == setupSh {
			f.Code = SetupOOM
		}
		f.Sentence = fmt.Sprintf("the memory limit of the container killed %s while %s ran%s", plural(n, "process"), c.who, c.in)
		f.Next = "raise memory_mb in [environment] of task.toml, or use less"
		p := c.pressure()
		if p.MemoryPeak != nil {
			f.Proof = append(f.Proof, c.at("pressure.memory_peak_bytes", *p.MemoryPeak)+", since the container's start")
		}
		switch {
		case p.MemoryLimit != nil:
			f.Proof = append(f.Proof, c.at("pressure.memory_limit_bytes", *p.MemoryLimit))
		case e.unlimited():
			f.Side, f.Next = Machine, "run fewer trials at a time, or give the container a limit that the machine has room for"
			f.Sentence = fmt.Sprintf("the machine ran out of memory: the kernel killed %s while %s ran%s, and the container had no limit of its own", plural(n, "process"), c.who, c.in)
			f.Proof = append(f.Proof, "lock.json: services, of main: memory = none")
		}
		out = append(out, f)
	}
	return out
}

// signals: a command was killed, and not by its limit.
func signals(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		if c.Signal == "" || c.Limit != "" || known(c.OOMKills) > 0 || c.who == setupSh {
			continue
		}
		f := Finding{Side: e.doing(c), Code: c.of(AgentSignal, TestsSignal), Cause: true,
			Sentence: fmt.Sprintf("%s was ended by %s after %s%s: neither its limit nor, as far as is known, the memory limit did that", c.who, clip(c.Signal), seconds(c.Seconds), c.in),
			Proof:    []string{c.at("signal", c.Signal), c.at("limit_fired", literal("not there"))}}
		if c.OOMKills != nil {
			f.Proof = append(f.Proof, c.at("oom_kills", *c.OOMKills))
		}
		out = append(out, e.withLast(f, c))
	}
	return out
}

// exits: the agent failed by itself, or its end is unknown.
func exits(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		if c.who != theAgent || c.Limit != "" || c.Signal != "" || c.StartError != "" {
			continue
		}
		switch {
		case c.Exit == nil && c.StartedAt != nil && e.fault().Code == "":
			out = append(out, e.withLast(Finding{Side: e.agent(), Code: AgentLost, Cause: true,
				Sentence: fmt.Sprintf("how the agent ended%s is unknown: what watches it in the container was killed there", c.in), Proof: []string{c.at("exit", literal("null"))}}, c))
		case c.Exit != nil && *c.Exit != 0:
			out = append(out, e.withLast(Finding{Side: e.agent(), Code: AgentFailed, Cause: true,
				Sentence: fmt.Sprintf("the agent failed after %s%s, with %s", seconds(c.Seconds), c.in, exitWords(*c.Exit)), Proof: []string{c.at("exit", *c.Exit)}}, c))
		}
	}
	return out
}

// idle: the agent ended by itself and left nothing where it worked.
func idle(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		if c.who != theAgent || c.ChangedFiles == nil || *c.ChangedFiles != 0 {
			continue
		}
		f := Finding{Side: e.agent(), Code: AgentIdle, Cause: true, Sentence: fmt.Sprintf("the agent changed no file in its working directory%s", c.in), Proof: []string{c.at("changed_files", 0)}}
		if c.Stdout.Bytes == 0 && c.Stderr.Bytes == 0 {
			f.Sentence += ", and printed nothing"
			f.Proof = append(f.Proof, c.at("stdout.bytes", 0), c.at("stderr.bytes", 0))
		}
		if k := e.Trial.Fakes; k != nil && k.Writes > 0 {
			f.Cause = false // its work is elsewhere
			f.Sentence += fmt.Sprintf("; it wrote to the fakes, though, %s", plural(k.Writes, "time"))
			f.Proof = append(f.Proof, proof("fakes.writes", k.Writes))
		}
		out = append(out, f)
	}
	return out
}

// submission: a task without a test script found nothing to score.
func submission(e *Evidence) []Finding {
	var out []Finding
	look := func(facts *orchestrator.StepFacts, at, in string) {
		if s := facts.Scoring; s != nil && s.Problem != "" {
			out = append(out, Finding{Side: e.agent(), Code: SubmissionUnreadable, Cause: true, Sentence: fmt.Sprintf("the answers%s could not be read: %s", in, clip(s.Problem)),
				Proof: []string{proof(at+"scoring.problem", s.Problem), proof(at+"scoring.submission", s.Submission)}})
		}
	}
	look(&e.Trial.StepFacts, "", "")
	for i := range e.Trial.Steps {
		look(&e.Trial.Steps[i].StepFacts, fmt.Sprintf("steps[%d].", i), " of step "+clip(e.Trial.Steps[i].Name))
	}
	return out
}

// withLast adds the last line of a command's output.
func (e *Evidence) withLast(f Finding, c command) Finding {
	for _, l := range e.tail(c) {
		f.Proof = append(f.Proof, logged(l.File, l.Lines[len(l.Lines)-1]))
	}
	return f
}
