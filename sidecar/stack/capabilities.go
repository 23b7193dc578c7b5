package stack

import (
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// harmless are the capabilities that need no permission: those that the engine gives by default, and those that reach
// no further than the container's own network, processes and memory. SYS_PTRACE is among them because it is bounded by
// the container's process namespace, NET_ADMIN because it is bounded by its network namespace.
func harmless() []string {
	return []string{
		"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP",
		"SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
		"IPC_LOCK", "IPC_OWNER", "LEASE", "NET_ADMIN", "NET_BROADCAST", "NET_RAW", "SYS_NICE", "SYS_PTRACE",
	}
}

// dangerous are the other capabilities of capabilities(7), which reach the kernel or the host.
func dangerous() []string {
	return []string{
		"ALL", "AUDIT_CONTROL", "AUDIT_READ", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "DAC_READ_SEARCH",
		"LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "PERFMON", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_MODULE",
		"SYS_PACCT", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM",
	}
}

// capabilities gives names in the engine's spelling, without CAP_, sorted.
func (c *converter) capabilities(names []string, service, key string, add bool) []string {
	known := slices.Concat(harmless(), dangerous())
	var out []string
	for i, given := range names {
		at := c.at("services", service, key, item(i))
		name := strings.TrimPrefix(strings.ToUpper(given), "CAP_")
		switch {
		case !slices.Contains(known, name):
			text := given + " is not a capability"
			if n := nearest.Of(name, known); n != "" {
				text += "; did you mean " + n + "?"
			}
			c.invalid(at, text)
		case add && !slices.Contains(harmless(), name):
			c.allowed(AllowCapabilities, at, "capability "+name+" reaches beyond the container")
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
