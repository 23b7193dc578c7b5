package orchestrator

import (
	"time"

	"github.com/seatrial/seatrial/orchestrator/selection"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// Options is what the person who runs trials asks for, beyond what the tasks say.
type Options struct {
	Agent AgentChoice

	// Rewards is "contract", "harbor" or empty: then the task decides, and the contract is the default.
	Rewards string
	// Lax turns unknown keys of task.toml into warnings, as Harbor does.
	Lax bool
	// Allow are the dangerous things that tasks may do.
	Allow stack.Allow
	// AllowExternal lets MCP servers that the agent is told of be outside the trial's own stack.
	AllowExternal bool

	// ComposeEnv are names, with their values, that compose files may refer to besides those that the task declares.
	ComposeEnv map[string]string
	// AgentEnv and VerifierEnv are added to the environment of the agent and of the tests.
	AgentEnv, VerifierEnv map[string]string
	// SecretValues are values that must appear in no file and no message.
	SecretValues []string

	AgentTimeout, VerifierTimeout, BuildTimeout time.Duration
	// SetupTimeout limits what comes before an agent: a step's setup.sh and health check, an agent's set-up.
	SetupTimeout time.Duration
	// TimeoutMultiplier scales the limits of build, set-up, agent and verifier; 0 = 1.
	TimeoutMultiplier float64

	// FreshSteps begins a new conversation with each step of a task; MeanOfDeclared counts steps that never ran as 0.
	FreshSteps, MeanOfDeclared bool

	// Keep is "", "failed" or "always".
	Keep string
	// KeepFor is how long stacks are kept; 0 = until somebody removes them.
	KeepFor time.Duration
	// ForceBuild builds images although they are there; Pull asks the registry although they are there.
	ForceBuild, Pull bool
	// Selection says which of the tasks that are found are meant.
	Selection selection.Selection
	// Offline takes repositories that datasets name from the cache alone.
	Offline bool
	// Notice hears what takes a while before anything runs, from several goroutines; nil is fine.
	Notice func(string)
	// MinScore is a gate on the mean score; nil = none.
	MinScore *float64
	// PassBar is the score from which on a trial has passed, for what the trials come to; nil = DefaultPassBar.
	PassBar *float64

	// Lookup reads the host's environment.
	Lookup func(string) (string, bool)
}

// AgentChoice says who does the work.
type AgentChoice struct {
	Kind AgentKind
	// Command is a shell command, for AgentCommand.
	Command string
	// File describes the agent, for AgentInstalled.
	File *task.AgentFile
	// Probe stands in for an agent, for AgentProbe.
	Probe *task.Probe
	// Model is what it is to use; empty = whatever it does.
	Model string
}

// AgentKind is one of the ways to do a task's work.
type AgentKind string

// The kinds of agents.
const (
	AgentOracle  AgentKind = "oracle"  // runs solution/solve.sh
	AgentNop     AgentKind = "nop"     // does nothing
	AgentCommand AgentKind = "command" // runs a command in the agent's container

	AgentProbe AgentKind = "probe" // runs a probe's solve.sh

	AgentReplay AgentKind = "replay" // puts the recorded end state of an earlier trial's container in its place

	AgentInstalled AgentKind = "installed" // is put on the task's image as an agent.toml says
)

// String is the agent's name in a record.
func (a AgentChoice) String() string {
	if a.File != nil {
		return a.File.Name
	}
	if a.Probe != nil {
		return "probe:" + a.Probe.Name
	}
	return string(a.Kind)
}
