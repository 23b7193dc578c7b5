package sidecar

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Owner identifies the process that made an object: a process id alone would be reused by another process, another boot, another
// host or another container.
type Owner struct {
	Host  string // machine id and host name: cloned machines share the former
	Boot  string // the kernel's boot id
	NS    string // the process id namespace
	PID   int
	Start string // the process's start time in clock ticks since boot
}

// Self identifies this process.
func Self() Owner {
	pid := os.Getpid()
	return Owner{Host: hostID(), Boot: bootID(), NS: pidNamespace(), PID: pid, Start: startTime(pid)}
}

// String is the form that labels hold.
func (o Owner) String() string {
	return fmt.Sprintf("%s/%s/%s/%d/%s", o.Host, o.Boot, o.NS, o.PID, o.Start)
}

// ParseOwner reads String's form.
func ParseOwner(s string) (Owner, bool) {
	p := strings.Split(s, "/")
	if len(p) != 5 {
		return Owner{}, false
	}
	pid, err := strconv.Atoi(p[3])
	if err != nil || pid <= 0 {
		return Owner{}, false
	}
	return Owner{Host: p[0], Boot: p[1], NS: p[2], PID: pid, Start: p[4]}, true
}

// Liveness is what can be known about an owner from here.
type Liveness int

// An owner on another host, or in another container, cannot be judged.
const (
	Unknown Liveness = iota
	Alive
	Dead
)

// Alive looks whether the owner still runs. self says where the question is asked.
func (o Owner) Alive(self Owner) Liveness {
	switch {
	case o.Host != self.Host:
		return Unknown
	case o.Boot != self.Boot:
		return Dead
	case o.NS != self.NS:
		return Unknown
	case o.Start == "" || startTime(o.PID) != o.Start:
		return Dead
	}
	return Alive
}

func hostID() string {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	name = strings.ReplaceAll(name, "/", "_")
	for _, f := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if b, err := os.ReadFile(f); err == nil && len(bytes.TrimSpace(b)) > 0 {
			return string(bytes.TrimSpace(b)) + "." + name
		}
	}
	return name
}

func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "-"
	}
	return string(bytes.TrimSpace(b))
}

func pidNamespace() string {
	l, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "-"
	}
	return strings.TrimSuffix(strings.TrimPrefix(l, "pid:["), "]")
}
