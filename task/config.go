package task

import "time"

// Config is what a task.toml says. Nothing is inherited or defaulted in it beyond the defaults of single keys: a value
// that was left out stays so, and the methods of Config tell what holds in the end and where that was set.
type Config struct {
	// Schema is the schema version as declared, else NewestSchema.
	Schema string
	// SchemaDeclared is false when the file names no schema version.
	SchemaDeclared bool
	// Source is free text about where the task comes from.
	Source string

	Task        Info
	Agent       Agent
	Verifier    Verifier
	Environment Environment
	Solution    Solution

	// Steps are in the file's order. A task without any is single-step.
	Steps []Step
	// Artifacts are the task's own; see ArtifactsOf.
	Artifacts []Artifact
	// MultiStepReward is how the rewards of steps become one. Unset means RewardMean.
	MultiStepReward Opt[RewardStrategy]

	// Metadata is the whole [metadata] table as TOML values; nil without the table.
	Metadata map[string]any
	Eval     Eval
	// Fakes is nil without a [metadata.fakes] table.
	Fakes *Fakes

	places map[string]Position
}

// NewestSchema is the newest schema version that the decoder knows.
const NewestSchema = "1.4"

// MultiStep reports whether the task has steps.
func (c *Config) MultiStep() bool { return len(c.Steps) > 0 }

// Where returns the place of a key such as "environment.tpu" or "steps[0].name" in the file, for messages about what a
// task asks for. It is the zero Position for a key that the file does not have.
func (c *Config) Where(key string) Position { return c.places[key] }

// Info is the [task] table.
type Info struct {
	// Name has the form "org/name"; empty when the table is missing.
	Name        string
	Version     Opt[string]
	Description string
	Authors     []Author
	Keywords    []string
}

// Author is an entry of [[task.authors]].
type Author struct {
	Name, Email string
}

// Agent is the [agent] or [steps.agent] table.
type Agent struct {
	// Timeout limits one run of the agent. It is above 0 and at most MaxLimit.
	Timeout Opt[time.Duration]
	// User is a name or an id for the agent's set-up and run; unset means the image's.
	User    Opt[string]
	Network Network
}

// Verifier is the [verifier] or [steps.verifier] table.
type Verifier struct {
	// Timeout limits one run of the tests. It is above 0 and at most MaxLimit.
	Timeout Opt[time.Duration]
	Env     EnvTable
	// User is a name or an id for the tests; unset means the image's.
	User Opt[string]
	Mode Opt[Mode]
	// Environment is nil without such a table. Its presence alone asks for a separate verifier.
	Environment *Environment
	Network     Network
	Collect     []Collect
}

// Mode says where the tests run.
type Mode string

// The verifier modes.
const (
	Shared   Mode = "shared"   // in the agent's container
	Separate Mode = "separate" // in a container of their own
)

// Collect is a command that gathers evidence before the tests run.
type Collect struct {
	Command string
	// Service is the container to run in.
	Service string
	// Timeout is above 0; the default is DefaultCollectTimeout.
	Timeout time.Duration
	// User is unset for the container's own user.
	User Opt[string]
}

// Solution is the [solution] table, which matters to the oracle alone.
type Solution struct {
	Env EnvTable
}

// Step is an entry of [[steps]].
type Step struct {
	// Name is the name of the step's folder under steps/. It is one path element and unique, capitals aside.
	Name     string
	Agent    Agent
	Verifier Verifier
	// MinReward holds the least reward by key that lets the next step happen; nil for none. A plain number in the
	// file stands under "reward".
	MinReward   map[string]float64
	Healthcheck *Healthcheck
	Artifacts   []Artifact
}

// RewardStrategy says how the rewards of steps become the task's.
type RewardStrategy string

// The reward strategies.
const (
	RewardMean  RewardStrategy = "mean"
	RewardFinal RewardStrategy = "final"
)

// Artifact is a file or folder to keep from a container.
type Artifact struct {
	Source string
	// Destination is relative to the trial's artifacts folder, with forward slashes; empty for the same path as
	// Source.
	Destination string
	// Exclude holds tar patterns that apply within a folder.
	Exclude []string
	// Service is empty for the agent's container.
	Service string
}

// Eval is the [metadata.eval] table.
type Eval struct {
	// Case is the id of the case that the task implements, or empty.
	Case string
	// Rewards says by which rules rewards are read.
	Rewards Opt[Rewards]
	// RewardsContract is the version of the rewards contract. It is at least 1 and may be one that nobody knows.
	RewardsContract Opt[int]
	// RequiredArtifacts are sources of artifacts without which there is nothing to grade.
	RequiredArtifacts []string
	// PassBar is the score from which on a trial has passed; the default is 1. ReferenceBar is what the task's own solution must reach; the default is 1 too, or
	// PassBar where that is more.
	PassBar, ReferenceBar Opt[float64]
}

// Bars returns the score from which on a trial has passed, and the one that the task's own solution must reach.
func (e *Eval) Bars() (pass, reference float64) {
	pass = e.PassBar.Or(1)
	return pass, e.ReferenceBar.Or(max(pass, 1))
}

// Rewards says by which rules a verifier's rewards are read.
type Rewards string

// The rules for rewards.
const (
	RewardsContract Rewards = "contract"
	RewardsHarbor   Rewards = "harbor"
)

// Fakes is the [metadata.fakes] table: what the fakes sidecar of a trial plays.
type Fakes struct {
	// Service is the compose service; the default is "fakes".
	Service  string
	Scenario string
	Servers  []string
	Seed     Opt[int64]
	// Now is where the virtual clock starts.
	Now Opt[time.Time]
}
