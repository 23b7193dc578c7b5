package task

import "time"

// Environment is the [environment] table, or one of a separate verifier.
type Environment struct {
	// BuildTimeout limits build and start. It is above 0 and at most MaxLimit.
	BuildTimeout Opt[time.Duration]
	// DockerImage is a prebuilt image, or empty.
	DockerImage string
	OS          OS

	// CPUs and GPUs count whole devices. Unset means no limit and none.
	CPUs Opt[int]
	GPUs Opt[int]
	// MemoryMB and StorageMB are in MiB, as Harbor means it. Unset means no limit.
	MemoryMB  Opt[int64]
	StorageMB Opt[int64]
	GPUTypes  []string
	TPU       *TPU

	// Network is the network from the start. The older allow_internet is read into it.
	Network Network
	Env     EnvTable
	// Workdir is the folder in which commands run; empty for the image's.
	Workdir string
	// SkillsDir is a path inside the image, or empty.
	SkillsDir   string
	MCPServers  []MCPServer
	Healthcheck *Healthcheck
}

// MemoryBytes returns the memory limit in bytes, or 0 for none.
func (e *Environment) MemoryBytes() int64 { return e.MemoryMB.Or(0) << 20 }

// StorageBytes returns the storage limit in bytes, or 0 for none.
func (e *Environment) StorageBytes() int64 { return e.StorageMB.Or(0) << 20 }

// OS is the system of a task's containers.
type OS string

// The systems.
const (
	Linux   OS = "linux"
	Windows OS = "windows"
)

// TPU is the [environment.tpu] table.
type TPU struct {
	Type string
	// Topology has the form "2x4".
	Topology string
}

// Network is what one table says about network access.
type Network struct {
	Mode Opt[NetworkMode]
	// Key is the key that set Mode: "network_mode" or the older "allow_internet".
	Key string
	// AllowedHosts holds normalised host names, "*." wildcards, addresses and CIDR ranges. It is nil when left out;
	// when empty nothing is reachable.
	AllowedHosts []string
}

// NetworkMode says what a container may reach.
type NetworkMode string

// The network modes.
const (
	Public    NetworkMode = "public"
	NoNetwork NetworkMode = "no-network"
	Allowlist NetworkMode = "allowlist"
)

// MCPServer is an entry of [[environment.mcp_servers]]. URL is set for SSE and StreamableHTTP, Command for Stdio.
type MCPServer struct {
	Name      string
	Transport Transport
	URL       string
	Command   string
	Args      []string
	Headers   EnvTable
	Env       EnvTable
}

// Transport is how an MCP server is reached.
type Transport string

// The transports of MCP servers.
const (
	SSE            Transport = "sse"
	StreamableHTTP Transport = "streamable-http"
	Stdio          Transport = "stdio"
)

// Healthcheck is a command that is run until it succeeds.
type Healthcheck struct {
	Command string
	// Interval and Timeout are above 0.
	Interval, Timeout time.Duration
	// StartPeriod is the time in which failures do not count; it may be 0.
	StartPeriod time.Duration
	// StartInterval is the wait after a failure within StartPeriod.
	StartInterval time.Duration
	// Retries is how many failures in a row after StartPeriod end the trial. It is at least 1.
	Retries int
}
