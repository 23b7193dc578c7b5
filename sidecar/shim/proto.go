// Package shim is the language between seatrial and the helper that it runs inside containers: what to run, and what
// came of it. It uses the standard library only, since the helper is built from it.
package shim

// Dir is where the helper's read-only volume is mounted in a container.
const Dir = "/.seatrial"

// Path is the helper's executable in a container.
const Path = Dir + "/shim"

// Spec tells "shim run" what to do. It travels as one JSON argument and therefore never holds a secret: the environment
// comes from the exec itself.
type Spec struct {
	// Prepare is done first, in order, as the user that the helper runs as (normally root).
	Prepare []Prep `json:"prepare,omitempty"`
	// Argv is the command; Argv[0] without a slash is looked up in PATH. An empty one only prepares and measures.
	Argv []string `json:"argv"`
	// Needs names programs that must be found as the user would find them (in PATH, or by path), else the command is not
	// started: StartNotFound. It is for commands that a shell runs, whose own word for it is an exit code like any other.
	Needs []string `json:"needs,omitempty"`
	// AwaitHoldMS waits that long, before anything else, for the container to be held: its own entrypoint has then done what it does before it
	// runs what it was given. A container that is not held by then is a Warning.
	AwaitHoldMS int64 `json:"await_hold_ms,omitempty"`
	// Files sets how many files the command may have open. Engines whose runc is older than 1.1.13 sometimes set the soft limit of an exec
	// to the hard one.
	Files *FileLimit `json:"files,omitempty"`
	// Script says that Argv[0] is a script of the task: a missing or broken interpreter is diagnosed, and a text file
	// without a shebang runs under a shell, as a shell would do it.
	Script bool `json:"script,omitempty"`
	// User is "name", "uid", "name:group", "uid:gid" or empty for the helper's own. Names are looked up in the container.
	User string `json:"user,omitempty"`
	// SetHome sets HOME from the user's entry in /etc/passwd (as the engine does when nobody set HOME).
	SetHome bool `json:"set_home,omitempty"`
	// Dir is the working directory; empty keeps the exec's own.
	Dir string `json:"dir,omitempty"`
	// DirFallback is used when Dir does not exist; empty makes a missing Dir an error.
	DirFallback string `json:"dir_fallback,omitempty"`
	// LimitMS ends the command after that many milliseconds of monotonic time; 0 = no limit.
	LimitMS int64 `json:"limit_ms,omitempty"`
	// GraceMS is the time between TERM and KILL.
	GraceMS int64 `json:"grace_ms,omitempty"`
	// KeepLeftovers lets descendants that outlive the command live on (unless the limit fired). Otherwise they are killed.
	KeepLeftovers bool `json:"keep_leftovers,omitempty"`
	// Head and Tail bound how many bytes of each stream are passed on: the first Head and the last Tail; 0 = no bound.
	Head int64 `json:"head,omitempty"`
	Tail int64 `json:"tail,omitempty"`
	// Measure lists folders whose size is reported after the command has ended.
	Measure []string `json:"measure,omitempty"`
	// CountChanged reports how many files in the working directory the command made or changed.
	CountChanged bool `json:"count_changed,omitempty"`
}

// FileLimit is RLIMIT_NOFILE.
type FileLimit struct {
	Soft uint64 `json:"soft"`
	Hard uint64 `json:"hard"`
}

// Prep is one thing to do before the command starts.
type Prep struct {
	// Op is "empty" (Path becomes a new, empty folder with Mode, whatever was there; a mount point is kept and emptied),
	// "replace" (Path becomes what From was, whatever was there; From is gone afterwards; a mount point takes From's content in;
	// Mode is set if it is not 0), "executable" (adds the execute bits to the file Path; a missing file is left to the start to
	// tell, a link stays as it is), "mkdir" (makes Path and its parents if missing, and sets Mode if it is not 0; anything but a
	// folder there is an error), "remove" (Path and all below it; a mount point is emptied), or "text" (the file Path gets Text for its content, in its place: it may be a mount point).
	// No link is ever followed at or below Path. Parents that "empty" and "replace" miss are made.
	Op   string `json:"op"`
	Path string `json:"path"`
	From string `json:"from,omitempty"`
	Mode uint32 `json:"mode,omitempty"`
	// Keep moves what was in Path to this path ("empty" and "replace", if it was not empty); what was at Keep is removed.
	// Where a copy is needed, at most 256 MiB and 20,000 entries are kept. What cannot be kept is a warning, not an error.
	Keep string `json:"keep,omitempty"`
	// Text is the content for "text".
	Text string `json:"text,omitempty"`
	// Own gives the folder Path, not what is in it, to the command's user.
	Own bool `json:"own,omitempty"`
}

// Report is what came of a command. Without one the helper was killed.
type Report struct {
	// Start is set when the command never started.
	Start *StartError `json:"start,omitempty"`
	// Exit is the command's exit code, 128+n after signal n as a shell would put it; with Start it is 127 where something is missing
	// and 126 otherwise.
	Exit int `json:"exit"`
	// Signal is the name of the signal that ended the command ("SIGKILL"), or empty.
	Signal string `json:"signal,omitempty"`
	// Seconds is the measured monotonic running time of the command.
	Seconds float64 `json:"seconds"`
	// Limit says that the limit ended the command, and whether TERM was enough ("term") or KILL was needed ("kill").
	Limit string `json:"limit,omitempty"`
	// Leftovers are descendants that were alive when the command had ended (at most 20 named), LeftoverCount all of them.
	Leftovers     []Process `json:"leftovers,omitempty"`
	LeftoverCount int       `json:"leftover_count,omitempty"`
	// Survivors counts processes that could not be killed although they should have been.
	Survivors int `json:"survivors,omitempty"`
	// Stdout and Stderr count the streams.
	Stdout StreamReport `json:"stdout"`
	Stderr StreamReport `json:"stderr"`
	// OOMKills is how many processes the kernel's memory limit killed in this container while the command ran, -1 if unknown.
	OOMKills int64 `json:"oom_kills"`
	// Pressure is how scarce things were while the command ran.
	Pressure *Pressure `json:"pressure,omitempty"`
	// UserSec, SysSec and MaxRSSKB are the resource use of the command and its reaped descendants.
	UserSec  float64 `json:"user_sec"`
	SysSec   float64 `json:"sys_sec"`
	MaxRSSKB int64   `json:"max_rss_kb"`
	// Kept names the Prep.Keep paths that now hold something.
	Kept []string `json:"kept,omitempty"`
	// Measured holds one entry for each folder of Spec.Measure.
	Measured map[string]Size `json:"measured,omitempty"`
	// Changed is how many files in the working directory were made or changed since the command began; nil when it was not asked for
	// or could not be counted whole.
	Changed *int64 `json:"changed,omitempty"`
	// Warnings are short codes with a text: "dir_missing" (the fallback was used), "no_shebang" (a shell ran the script),
	// "drain_timeout" (a leftover went on printing), "drain_missing" (a kept leftover cannot print any more), "user_switch" (without
	// the supplementary groups), "kept_partly" (Prep.Keep), "link_skipped" (op "executable" on a link), "not_measured".
	Warnings []Warning `json:"warnings,omitempty"`
}

// Pressure is how scarce things were for a container while a command ran in it. What the kernel does not tell is nil.
type Pressure struct {
	// CPUPeriods are the periods of its processor limit in which it had work to do, CPUThrottled those in which it was held back, for ThrottledSec seconds in all.
	CPUPeriods   *int64   `json:"cpu_periods,omitempty"`
	CPUThrottled *int64   `json:"cpu_throttled_periods,omitempty"`
	ThrottledSec *float64 `json:"cpu_throttled_seconds,omitempty"`
	// MemoryPeak is the most memory, in bytes, that the container ever had since it was started, MemoryLimit what it may have.
	MemoryPeak  *int64 `json:"memory_peak_bytes,omitempty"`
	MemoryLimit *int64 `json:"memory_limit_bytes,omitempty"`
	// PidsLimit is how many processes and threads it may have, PidsHit how often it was refused one more.
	PidsLimit *int64 `json:"pids_limit,omitempty"`
	PidsHit   *int64 `json:"pids_limit_hit,omitempty"`
	// DiskFree is the space, in bytes, that was left at the end where the command ran.
	DiskFree *int64 `json:"disk_free_bytes,omitempty"`
	// LoadBefore and LoadAfter are the machine's load over a minute.
	LoadBefore *float64 `json:"load_before,omitempty"`
	LoadAfter  *float64 `json:"load_after,omitempty"`
	// CPUWaitSec is for how many seconds something on the machine, in this container or not, was waiting for a processor.
	CPUWaitSec *float64 `json:"cpu_wait_seconds,omitempty"`
}

// StartError says why a command never started.
type StartError struct {
	// Kind is one of the Start constants.
	Kind string `json:"kind"`
	// Detail is for people.
	Detail string `json:"detail"`
}

// The reasons for which a command does not start.
const (
	StartNotFound    = "not_found"           // no such file, or not in PATH
	StartPermission  = "permission"          // not executable, or on a noexec mount
	StartInterpreter = "interpreter_missing" // the script's interpreter does not exist in the image
	StartCRLF        = "crlf_shebang"        // the script's first line ends in a carriage return
	StartFormat      = "exec_format"         // neither a script nor a program for this machine
	StartUser        = "user_unknown"        // the user or group is not in the image
	StartDir         = "dir_missing"         // the working directory does not exist
	StartPrepare     = "prepare"             // a preparation failed
	StartSwitch      = "user_switch"         // the user could not be switched to
	StartOther       = "other"
)

// Process is one process in a container.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

// StreamReport counts one output stream.
type StreamReport struct {
	Bytes int64 `json:"bytes"` // printed by the command
	Cut   int64 `json:"cut"`   // left out between head and tail
}

// Size is the size of a folder.
type Size struct {
	Bytes int64 `json:"bytes"`
	Files int64 `json:"files"`
}

// Warning is something that was put right.
type Warning struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}
