package orchestrator

import (
	"strings"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// Plan is everything that is decided about a trial before anything starts. It prints itself, and whoever carries it out decides
// nothing that is not in it.
type Plan struct {
	Task     *task.Task
	Checksum string // of the task's files
	// Source is the commit that the task is of; nil = it is a folder of this machine.
	Source *TaskSource

	// Folder is the trial's folder below trials/, unique in its run.
	Folder string
	// Trial counts the trials of a case from 1, where there are several; Tries are earlier tries of this one.
	Trial int
	Tries []Try
	// CaseID and LegacyID name the case in the record.
	CaseID, LegacyID string

	Agent AgentChoice
	// Workdir is where commands run in the agent's container; empty = the image's.
	Workdir string

	Spec *stack.Spec
	// Images says where each service's image comes from.
	Images map[string]Source
	// UploadEnvironment copies the task's environment folder into the working directory, as Harbor does for a prebuilt image
	// without a Dockerfile or compose file.
	UploadEnvironment bool

	// Installed says that the image of main has the agent on it already.
	Installed bool
	// Replay stands in for the agent in some steps; nil = in none.
	Replay *Replay

	// Fakes is nil for a task without.
	Fakes *FakesPlan

	// Steps are the runs of the agent and their gradings; at least one.
	Steps []StepPlan
	// FreshSteps begins a new conversation with each step.
	FreshSteps bool
	// FinalStep takes the last step's verdict for the whole, MeanOfDeclared counts steps that never ran as 0.
	FinalStep, MeanOfDeclared bool

	// Limits has the phases that a trial has once; the steps have the others.
	Limits map[Phase]Limit

	// Environment variables with their exact values. Env is set in every command in the agent's container.
	Env, AgentEnv, SolutionEnv map[string]string
	// Secrets are values that must appear in no file and no message.
	Secrets []string

	Network task.NetworkMode
	// Gate is nil where the network needs no gateway.
	Gate *GatePlan
	// Harbor records any numeric rewards; else the rewards contract holds, in the version that the task declares or the default.
	Harbor   bool
	Contract *int

	// Asked are the options that decide the plan, and looked what variables of the host and of the command line came to it.
	Asked  lockfile.Options
	looked map[hostVariable]string

	Warnings []Warning
	// Compose are those of Warnings that are about compose files, with their places.
	Compose []stack.Warning
}

// Source says where an image comes from: it is built, or taken by reference.
type Source struct {
	Build *images.Request
	// Program makes the image of the program itself, for the fakes.
	Program bool
	Ref     string
	// Policy is "", "always", "missing" or "never", for Ref.
	Policy   string
	Platform string
}

func (s Source) String() string {
	if s.Program {
		return "make of this program"
	}
	if s.Build != nil {
		file := s.Build.Dockerfile
		if s.Build.Inline != "" {
			file = "(inline)"
		}
		return strings.TrimSpace("build " + s.Build.Context + " " + file)
	}
	return "take " + s.Ref
}

func (p *Plan) warn(code, message string) {
	p.Warnings = append(p.Warnings, Warning{Code: code, Message: message})
}
