package stack

// Input is everything that Convert may know. It reads no environment variables and no clock, and no files outside the
// task's folder.
type Input struct {
	// Dir is the folder of the definition (environment/ or tests/), absolute. Relative paths in the compose file start
	// here.
	Dir string
	// TaskDir is the task's folder, absolute; empty means the parent of Dir. What is in it is the task's own.
	TaskDir string
	// File is the compose file's path, empty when the task has none.
	File string

	// Vars are the variables that the compose file may refer to, with their exact values: the infrastructure's own and
	// those that the task or the user declared.
	Vars map[string]string
	// Secrets are the names in Vars and MainEnv whose values must not be shown, because they come from the host.
	Secrets map[string]bool
	// HostAllowed looks a variable up in the short allow-list of host variables; nil allows none.
	HostAllowed func(name string) (string, bool)
	// HostHas says whether the host has a variable of that name at all, for better messages; nil means no.
	HostHas func(name string) bool

	// MainImage is the reference of the task's own image; empty while planning.
	MainImage string
	// MainBuilt says that the task's own image is built from the Dockerfile in Dir. An image key on main without a build
	// key then only names the result, as with compose when a base file has the build key.
	MainBuilt bool
	// MainEnv is set in main and wins over the compose file's environment.
	MainEnv map[string]string
	// CPUs and Memory (bytes) limit main unless the compose file limits it itself; 0 sets no limit.
	CPUs   float64
	Memory int64
	// GPUs are the devices asked for main unless the compose file asks for some itself; -1 = all.
	GPUs int
	// Workdir is main's working directory unless the compose file sets one.
	Workdir string

	// NoNetwork cuts main off from everything but its sidecars.
	NoNetwork bool
	// Gated keeps main's networks, cut off, for a gateway to be put beside it; else a main that is alone and cut off has none.
	Gated bool
	// Allow has the permissions of this run.
	Allow Allow
	// LogPaths gives the meaning ("agent", "verifier" or "artifacts") of the paths that Vars has for the host's log
	// folders. A bind of such a path becomes a mount of type MountLogs.
	LogPaths map[string]string
}
