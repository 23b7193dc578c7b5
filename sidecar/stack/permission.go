package stack

import (
	"maps"
	"slices"

	"github.com/seatrial/seatrial/internal/nearest"
)

// Permission names one thing that a task may do only when the person who runs it says so with --allow.
type Permission string

// The permissions. Each is worth as much as root on the host, or undoes the separation of trials from one another.
const (
	AllowPrivileged      Permission = "privileged"
	AllowHostNetwork     Permission = "host-network" // network_mode host, host-gateway, build.network host
	AllowHostPID         Permission = "host-pid"
	AllowHostIPC         Permission = "host-ipc"
	AllowHostUTS         Permission = "host-uts"
	AllowHostUsers       Permission = "host-users"  // userns_mode host
	AllowHostCgroup      Permission = "host-cgroup" // cgroup host, cgroup_parent
	AllowEngineSocket    Permission = "engine-socket"
	AllowDevices         Permission = "devices"      // devices, device_cgroup_rules
	AllowCapabilities    Permission = "capabilities" // capabilities beyond the harmless ones
	AllowSecurityOpt     Permission = "security-opt" // anything but no-new-privileges
	AllowOutsideBinds    Permission = "outside-binds"
	AllowWritableBinds   Permission = "writable-binds" // a bind of the task's own folder that can be written
	AllowOutsideBuilds   Permission = "outside-builds" // a build context or Dockerfile outside the task's folder
	AllowOutsideNetworks Permission = "outside-networks"
	AllowOutsideVolumes  Permission = "outside-volumes"
)

// Permissions lists every permission, sorted.
func Permissions() []Permission {
	all := []Permission{
		AllowPrivileged, AllowHostNetwork, AllowHostPID, AllowHostIPC, AllowHostUTS, AllowHostUsers, AllowHostCgroup,
		AllowEngineSocket, AllowDevices, AllowCapabilities, AllowSecurityOpt, AllowOutsideBinds, AllowWritableBinds,
		AllowOutsideBuilds, AllowOutsideNetworks, AllowOutsideVolumes,
	}
	slices.Sort(all)
	return all
}

// Allow is the set of permissions given for a run. The zero value allows nothing.
type Allow map[Permission]bool

// ParseAllow makes the set from names. An unknown name is an *UnknownPermissionError.
func ParseAllow(names []string) (Allow, error) {
	known := make(map[string]bool)
	for _, p := range Permissions() {
		known[string(p)] = true
	}
	allow := make(Allow, len(names))
	for _, name := range names {
		if !known[name] {
			return nil, &UnknownPermissionError{Name: name, Nearest: nearest.Of(name, slices.Sorted(maps.Keys(known)))}
		}
		allow[Permission(name)] = true
	}
	return allow, nil
}
