// Package lockfile is what a trial writes down of all that decided it, so that it can be run again with the same. It holds no values of environment variables.
package lockfile

// Format names a lock.json, and SchemaVersion what its fields mean.
const (
	Format        = "seatrial-lock"
	SchemaVersion = 1
)

// Lock is a trial's lock.json.
type Lock struct {
	Format        string  `json:"format"`
	SchemaVersion int     `json:"schema_version"`
	RunID         string  `json:"run_id"`
	TrialID       string  `json:"trial_id"`
	Case          string  `json:"case"`
	Trial         int     `json:"trial,omitempty"` // counts the trials of a case from 1 where there are several
	Tool          Tool    `json:"tool"`
	Command       Command `json:"command"`
	Task          Folder  `json:"task"`
	Agent         Agent   `json:"agent"`
	Options       Options `json:"options"`
	// Images are those of the services, by the names that trial.json has for them.
	Images   map[string]Image `json:"images"`
	Fakes    *Fakes           `json:"fakes,omitempty"`
	Limits   []Limit          `json:"limits"`
	Services []Service        `json:"services"`
	Network  []Policy         `json:"network"`
	// Salt is what the fingerprints of variables were made with, in hexadecimal digits.
	Salt      string     `json:"salt"`
	Variables []Variable `json:"variables"`
	Machine   Machine    `json:"machine"`
	Batch     Batch      `json:"batch"`
	// Captures are the end states that were kept, in the order of the task's steps.
	Captures []Capture `json:"captures,omitempty"`
}

// Tool is the program that ran the trial.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// Command is how the run was asked for. Values of variables are not in it.
type Command struct {
	Args      []string `json:"args"`
	Directory string   `json:"directory,omitempty"`
}

// Folder is a folder that decided the trial.
type Folder struct {
	Path     string `json:"path"` // where it was
	Name     string `json:"name"`
	Checksum string `json:"checksum"` // as task.Digest has it
	// Copy is the copy of it below the run's folder; empty = there is none, and NoCopy says why.
	Copy   string `json:"copy,omitempty"`
	NoCopy string `json:"no_copy,omitempty"`
}

// Agent is who did the work.
type Agent struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Model   string `json:"model,omitempty"`
	Command string `json:"command,omitempty"` // a shell command, secrets hidden
	// Folder is that of an agent's file, and File the file's name in it.
	Folder *Folder `json:"folder,omitempty"`
	File   string  `json:"file,omitempty"`
}

// Options are those of the command line that decide how a task is planned, besides limits, agent and variables.
type Options struct {
	Rewards           string             `json:"rewards,omitempty"`
	Lax               bool               `json:"lax,omitempty"`
	Allow             []string           `json:"allow,omitempty"`
	AllowExternal     bool               `json:"allow_external_endpoints,omitempty"`
	FreshSteps        bool               `json:"fresh_steps,omitempty"`
	MeanOfDeclared    bool               `json:"mean_of_declared,omitempty"`
	ForceBuild        bool               `json:"force_build,omitempty"`
	Timeouts          map[string]float64 `json:"timeouts,omitempty"` // seconds, by "agent", "verifier", "build" and "setup"
	TimeoutMultiplier float64            `json:"timeout_multiplier,omitempty"`
}

// Image is the image of a service.
type Image struct {
	Ref         string   `json:"ref"`
	ID          string   `json:"id"`
	RepoDigests []string `json:"repo_digests,omitempty"`
	Platform    string   `json:"platform,omitempty"` // os/architecture
	// Digest is of what it was built from; empty for one that was taken by its reference.
	Digest string `json:"build_digest,omitempty"`
	// Bases are the images that it was built from.
	Bases []Base `json:"bases,omitempty"`
	// Program says that it holds this program itself.
	Program bool `json:"program,omitempty"`
}

// Base is an image that another was built from.
type Base struct {
	Ref    string `json:"ref"`
	ID     string `json:"id"`
	Digest string `json:"digest,omitempty"`
}

// Fakes are the fakes that the agent worked with.
type Fakes struct {
	Scenario string `json:"scenario"`
	Seed     string `json:"seed"`
	Clock    string `json:"clock,omitempty"`
	// Servers have the digests of their declarations.
	Servers map[string]string `json:"servers"`
}

// Limit is a time limit and who set it.
type Limit struct {
	Phase   string  `json:"phase"`
	Step    string  `json:"step,omitempty"`
	Seconds float64 `json:"seconds"`
	Source  string  `json:"source"`
}

// Service is what a container may use. 0 = no limit.
type Service struct {
	Name   string  `json:"name"`
	CPUs   float64 `json:"cpus,omitempty"`
	Memory int64   `json:"memory,omitempty"` // bytes
	Pids   int64   `json:"pids,omitempty"`
}

// Policy is the network of a phase.
type Policy struct {
	Phase string   `json:"phase"`
	Step  string   `json:"step,omitempty"`
	Mode  string   `json:"mode"`
	Hosts []string `json:"hosts,omitempty"`
}

// Variable is a variable of the host, or one that the command line gave, on which the trial depended.
type Variable struct {
	// From is "host", or the flag that gave it: "agent-env", "verifier-env" or "compose-env".
	From string `json:"from"`
	Name string `json:"name"`
	// Fingerprint tells whether a value is the same, and nothing else of it; empty = the host had no such variable.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Machine is what the trial ran on.
type Machine struct {
	Engine   string `json:"engine"`
	Version  string `json:"version"`
	API      string `json:"api"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Kernel   string `json:"kernel"`
	Cgroup   string `json:"cgroup,omitempty"`  // "1" or "2"
	Storage  string `json:"storage,omitempty"` // the driver
	Security string `json:"security,omitempty"`
	CPUs     int    `json:"cpus,omitempty"`
	Memory   int64  `json:"memory,omitempty"` // bytes
}

// Batch is the trial's place among others.
type Batch struct {
	Order    int `json:"order"` // it was the n-th trial to begin
	Planned  int `json:"planned"`
	Parallel int `json:"parallel"`
	// Beside are the folders of trials that were under way at the same time, as far as they are kept: BesideCount has all.
	Beside      []string `json:"beside,omitempty"`
	BesideCount int      `json:"beside_count,omitempty"`
}

// Capture is the end state of the agent's container in a step.
type Capture struct {
	Step string `json:"step,omitempty"`
	Path string `json:"path"` // in the trial's folder
	// Files and Bytes count what changed, Removed what was removed.
	Files   int64  `json:"files"`
	Bytes   int64  `json:"bytes"`
	Removed int64  `json:"removed"`
	SHA256  string `json:"sha256"` // of the file
	// Secrets says that the value of a secret variable is somewhere in it.
	Secrets bool `json:"secrets,omitempty"`
}
