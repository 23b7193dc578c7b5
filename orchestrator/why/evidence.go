package why

import (
	"fmt"
	"path"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// Evidence is all that is known of a trial. Nothing of it is trusted: records may be anybody's.
type Evidence struct {
	Trial *orchestrator.TrialRecord
	Run   *orchestrator.RunRecord // nil where it cannot be read
	Lock  *lockfile.Lock          // nil where there is none
	// Beside are trials of the run that were under way at the same time, BesideCount how many there were.
	Beside      []Neighbour
	BesideCount int
	Logs        []Log
	Refusals    []Refusal
}

// Neighbour is a trial that was under way at the same time.
type Neighbour struct {
	Folder  string
	Case    string
	Outcome orchestrator.Outcome
}

// Log is the end of a file of output in the trial's folder.
type Log struct {
	File  string
	Lines []Line
}

// Line is a line of a log. Number counts from 1; 0 = the file is too large to tell.
type Line struct {
	Number int
	Text   string
}

// Refusal is a host that was tried and not allowed.
type Refusal struct {
	File  string
	Line  int // the first one's
	Host  string
	Count int
}

// The commands of a trial, as sentences name them.
const (
	theAgent = "the agent"
	theTests = "the tests"
	setupSh  = "setup.sh"
)

// command is a command of the trial that has a record.
type command struct {
	*orchestrator.Exec
	who  string
	path string // of it in trial.json
	in   string // " in step NAME", or nothing
}

// commands are those of the trial in their order, without those that there were not.
func (e *Evidence) commands() []command {
	var all []command
	add := func(facts *orchestrator.StepFacts, at, in string) {
		for _, c := range []command{{facts.SetupScript, setupSh, at + "setup_script", in}, {facts.Agent, theAgent, at + "agent", in}, {facts.Verifier, theTests, at + "verifier", in}} {
			if c.Exec != nil {
				all = append(all, c)
			}
		}
	}
	add(&e.Trial.StepFacts, "", "")
	for i := range e.Trial.Steps {
		add(&e.Trial.Steps[i].StepFacts, fmt.Sprintf("steps[%d].", i), " in step "+clip(e.Trial.Steps[i].Name))
	}
	return all
}

// pressure is what held the command up; never nil.
func (c command) pressure() *shim.Pressure {
	if c.Pressure == nil {
		return &shim.Pressure{}
	}
	return c.Pressure
}

// at is a place in the command's record with its value.
func (c command) at(field string, value any) string { return proof(c.path+"."+field, value) }

// fault is the trial's error; never nil.
func (e *Evidence) fault() *orchestrator.Fault {
	if f := e.Trial.Case.Error; f != nil {
		return f
	}
	return &orchestrator.Fault{}
}

// agent is who does what the agent does: the task itself, where that is its own solution.
func (e *Evidence) agent() Side {
	if e.kind() == string(orchestrator.AgentOracle) {
		return Task
	}
	return Agent
}

// kind is the kind of agent: "oracle", "nop" or another; empty where nothing says so.
func (e *Evidence) kind() string {
	switch {
	case e.Lock != nil && e.Lock.Agent.Kind != "":
		return e.Lock.Agent.Kind
	case e.Run != nil:
		return e.Run.Candidate.Agent
	}
	return ""
}

// kindProof is where the kind of agent stands.
func (e *Evidence) kindProof() string {
	if e.Lock != nil && e.Lock.Agent.Kind != "" {
		return proof("lock.json: agent.kind", e.Lock.Agent.Kind)
	}
	return proof("run.json: candidate.agent", e.kind())
}

// unlimited says of a record with a lock that the agent's container had no limit on its memory.
func (e *Evidence) unlimited() bool {
	if e.Lock == nil {
		return false
	}
	for _, s := range e.Lock.Services {
		if s.Name == stack.Main {
			return s.Memory == 0
		}
	}
	return false
}

// tail are the last lines of a command's output, the standard error last.
func (e *Evidence) tail(c command) []Log {
	var out []Log
	for _, name := range []string{c.Stdout.Path, c.Stderr.Path} {
		for _, l := range e.Logs {
			if name != "" && l.File == path.Clean(name) && len(l.Lines) > 0 {
				out = append(out, l)
			}
		}
	}
	return out
}

// full says that the trial has all that can be had.
func (e *Evidence) full() bool {
	c := &e.Trial.Case
	return c.Status == orchestrator.Complete && c.Score != nil && *c.Score >= orchestrator.DefaultPassBar
}

// overlap says whether two spans of time have a moment in common.
func overlap(a, b *orchestrator.TrialRecord) bool {
	known := func(t time.Time) bool { return !t.IsZero() }
	return known(a.StartedAt) && known(a.FinishedAt) && known(b.StartedAt) && known(b.FinishedAt) && a.StartedAt.Before(b.FinishedAt) && b.StartedAt.Before(a.FinishedAt)
}
