// Package stack describes the containers, networks and volumes of one trial as plain data, and makes that data
// from a task's compose file. It never talks to an engine.
package stack

import "time"

// Main is the name of the service that is the agent's container.
const Main = "main"

// Default is the name of the network that services join when they name none.
const Default = "default"

// Spec is everything that one trial needs on the engine. Names in it are the compose file's own; whoever brings the
// stack up makes them unique per trial.
type Spec struct {
	Services []Service // sorted by name; exactly one is called Main
	Networks []Network // sorted by name; only those that some service joins
	Volumes  []Volume  // sorted by name; named volumes only
	// Tools asks for the program itself inside Main, for the tests.
	Tools bool
	// Gateway is the service that answers names for all others in its first network, where it has the last address; empty = none.
	Gateway string
}

// Service is one container to be.
type Service struct {
	Name string
	// Image is a reference to take or pull; empty when Build is set or, while planning, when TaskImage is.
	Image string
	// TaskImage says that the service runs the task's own image, the one made from its Dockerfile or named by its
	// docker_image. Image then holds its reference as soon as that is known.
	TaskImage bool
	// Build is set when the service is built from a folder.
	Build *Build
	// PullPolicy is "", "always", "missing", "never" or "build".
	PullPolicy string
	// Platform is "os/arch[/variant]" or empty.
	Platform string

	// Entrypoint replaces the image's when HasEntrypoint; an empty one then clears it.
	Entrypoint    []string
	HasEntrypoint bool
	// Command replaces the image's CMD when HasCommand; an empty one then keeps the image's entrypoint alone.
	Command    []string
	HasCommand bool

	// Env holds exact values. It never contains a name without a value.
	Env map[string]string
	// Secret has the names in Env whose values came from outside the task's folder and are not to be shown.
	Secret map[string]bool
	// Hidden has the other keys, as the compose file spells them ("command", "build.args"), with a part that is not to
	// be shown.
	Hidden     map[string]bool
	User       string
	WorkingDir string
	Hostname   string
	Domain     string
	Labels     map[string]string
	GroupAdd   []string

	Mounts []Mount
	// Uploads are copied into the container before it starts.
	Uploads []Upload

	// NetworkMode is "" (join Networks), "none", or "service:NAME". With --allow host-network it may be "host".
	NetworkMode string
	Networks    []Attachment // sorted by network name
	ExtraHosts  []string     // "name:address"
	DNS         []string

	DependsOn   []Dependency // sorted by service name
	Healthcheck *Healthcheck

	CPUs        float64 // 0 = no limit
	GPUs        int     // 0 = none, -1 = all
	Memory      int64   // bytes, 0 = no limit
	MemorySwap  int64   // bytes, memory plus swap as the engine counts it; 0 = the engine's default
	MemoryRes   int64   // reservation in bytes
	Pids        int64   // 0 = the tool's default, -1 = no limit
	ShmSize     int64   // bytes, 0 = the engine's default
	Ulimits     []Ulimit
	Sysctls     map[string]string
	CapAdd      []string
	CapDrop     []string
	SecurityOpt []string
	ReadOnly    bool
	Init        bool
	// Helper asks for the in-container helper, so that commands can be run in the service; Main and those with Init have it anyway.
	Helper     bool
	TTY        bool
	StdinOpen  bool
	StopSignal string
	StopGrace  time.Duration

	// The following need --allow and are empty without it.
	Privileged        bool
	PidMode           string // "host"
	IpcMode           string // "host"
	UTSMode           string // "host"
	UsernsMode        string // "host"
	CgroupMode        string // "host"
	CgroupParent      string
	Devices           []Device
	DeviceCgroupRules []string
}

// Build says how a service's image is built.
type Build struct {
	Context          string // absolute host folder
	Dockerfile       string // relative to Context, or absolute; empty = "Dockerfile"
	DockerfileInline string
	Target           string
	Args             map[string]string
	// Network is "", "none" (RUN steps have no network) or, with --allow host-network, "host".
	Network string
}

// Mount puts something into a container's file system.
type Mount struct {
	Type     MountType
	Source   string // volume name (Volumes), absolute host path (Binds), LogsAgent and the like (Logs); empty = anonymous
	Target   string // absolute path in the container
	ReadOnly bool
	TmpfsMax int64 // bytes, tmpfs only
	TmpfsMod uint32
	TmpfsOpt []string // tmpfs only: "exec", "uid=1000" and the like, as mount(8) spells them
	NoCopy   bool     // volumes: do not fill from the image
	Subpath  string   // volumes: the folder inside the volume to mount
}

// Upload is a host folder that is copied into a container.
type Upload struct {
	Host   string // absolute host folder
	Target string // absolute folder in the container
}

// MountType says what Mount.Source means.
type MountType string

// The kinds of mounts.
const (
	MountVolume MountType = "volume"
	MountBind   MountType = "bind"
	MountTmpfs  MountType = "tmpfs"
	// MountLogs is one of the trial's own log folders, named in the compose file by HOST_VERIFIER_LOGS_PATH and the like.
	// Source is "agent", "verifier" or "artifacts".
	MountLogs MountType = "logs"
)

// Network is one network of the stack.
type Network struct {
	Name string
	// Internal cuts the network off from everything outside it.
	Internal bool
	Driver   string // "" or "bridge"
	Labels   map[string]string
	// Subnet, Gateway and IPRange are set only when a service asks for a fixed address in the network.
	Subnet, Gateway, IPRange string
	// External is the engine's name of a network that exists already and is neither made nor removed. It needs --allow.
	External string
	// Shared is the network that trials of one container share: a way out, without traffic between containers.
	Shared bool
}

// Volume is one named volume, private to the trial whatever name the compose file fixed for it.
type Volume struct {
	Name   string
	Labels map[string]string
	// DriverOpts are options of the engine's local driver: a tmpfs, or with --allow a bound host folder.
	DriverOpts map[string]string
	// External is the engine's name of a volume that exists already and is neither made nor removed. It needs --allow.
	External string
}

// Attachment joins a service to a network.
type Attachment struct {
	Network string
	Aliases []string
	IPv4    string
}

// Condition is what a dependency must reach before the dependent service starts.
type Condition string

// The three conditions of the compose specification.
const (
	Started   Condition = "service_started"
	Healthy   Condition = "service_healthy"
	Completed Condition = "service_completed_successfully"
)

// Dependency is one edge of depends_on.
type Dependency struct {
	Service   string
	Condition Condition
	Required  bool
}

// Healthcheck is the engine's health check of a service.
type Healthcheck struct {
	// Test is in the engine's form: ["CMD", ...], ["CMD-SHELL", text] or ["NONE"].
	Test          []string
	Interval      time.Duration
	Timeout       time.Duration
	StartPeriod   time.Duration
	StartInterval time.Duration
	Retries       int
}

// Ulimit is one resource limit.
type Ulimit struct {
	Name       string
	Soft, Hard int64
}

// Device maps a host device into a container.
type Device struct {
	Host, Container, Permissions string
}
