package stack

import (
	"maps"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// security converts capabilities, security options and kernel parameters.
func (c *converter) security(s *Service, from types.ServiceConfig) {
	s.CapAdd = c.capabilities(from.CapAdd, s.Name, "cap_add", true)
	s.CapDrop = c.capabilities(from.CapDrop, s.Name, "cap_drop", false)
	for i, option := range from.SecurityOpt {
		c.securityOpt(s, option, c.at("services", s.Name, "security_opt", item(i)))
	}
	for _, name := range slices.Sorted(maps.Keys(from.Sysctls)) {
		if !namespaced(name) {
			c.unsupported(c.at("services", s.Name, "sysctls", name), "a parameter of the whole host's kernel")
			continue
		}
		if s.Sysctls == nil {
			s.Sysctls = make(map[string]string)
		}
		s.Sysctls[name] = from.Sysctls[name]
	}
}

func (c *converter) securityOpt(s *Service, option string, at Place) {
	name, value, _ := strings.Cut(strings.Replace(option, "=", ":", 1), ":")
	switch {
	case name == "no-new-privileges" && value != "false":
		s.SecurityOpt = append(s.SecurityOpt, "no-new-privileges:true")
		return
	case name == "no-new-privileges":
		return
	case name == "seccomp" && value != "unconfined" && value != "builtin":
		c.unsupported(at, "a seccomp profile from a file")
		return
	case !slices.Contains([]string{"seccomp", "apparmor", "label", "systempaths", "writable-cgroups"}, name):
		c.unsupported(at, "security option "+option)
		return
	}
	if c.allowed(AllowSecurityOpt, at, "security option "+option+" takes away a wall around the container") {
		s.SecurityOpt = append(s.SecurityOpt, name+"="+value)
	}
}

// namespaced says whether a kernel parameter belongs to the container alone, by the engine's own list.
func namespaced(name string) bool {
	switch name {
	case "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.sem", "kernel.shmall", "kernel.shmmax",
		"kernel.shmmni", "kernel.shm_rmid_forced":
		return true
	}
	return strings.HasPrefix(name, "net.") || strings.HasPrefix(name, "fs.mqueue.")
}

// host converts what reaches the host, each part of which needs a permission.
func (c *converter) host(s *Service, from types.ServiceConfig) {
	at := func(key string) Place { return c.at("services", s.Name, key) }
	if from.Privileged && c.allowed(AllowPrivileged, at("privileged"), "the container is privileged, which is worth root on the host") {
		s.Privileged = true
	}
	for _, mode := range []struct {
		key, value string
		permission Permission
		to         *string
	}{
		{"pid", from.Pid, AllowHostPID, &s.PidMode},
		{"ipc", from.Ipc, AllowHostIPC, &s.IpcMode},
		{"uts", from.Uts, AllowHostUTS, &s.UTSMode},
		{"userns_mode", from.UserNSMode, AllowHostUsers, &s.UsernsMode},
		{"cgroup", from.Cgroup, AllowHostCgroup, &s.CgroupMode},
	} {
		switch mode.value {
		case "", "private":
		case "host":
			if c.allowed(mode.permission, at(mode.key), "the container shares the host's "+strings.TrimSuffix(mode.key, "_mode")) {
				*mode.to = "host"
			}
		default:
			c.unsupported(at(mode.key), mode.value+"; the modes are private and host")
		}
	}
	if from.CgroupParent != "" && c.allowed(AllowHostCgroup, at("cgroup_parent"), "the container leaves the engine's control group") {
		s.CgroupParent = from.CgroupParent
	}
	if len(from.DeviceCgroupRules) > 0 && c.allowed(AllowDevices, at("device_cgroup_rules"), "the container may use host devices") {
		s.DeviceCgroupRules = from.DeviceCgroupRules
	}
	for i, d := range from.Devices {
		if !c.allowed(AllowDevices, c.at("services", s.Name, "devices", item(i)), "the container gets the host's device "+d.Source) {
			continue
		}
		device := Device{Host: d.Source, Container: d.Target, Permissions: d.Permissions}
		if device.Container == "" {
			device.Container = device.Host
		}
		if device.Permissions == "" {
			device.Permissions = "rwm"
		}
		s.Devices = append(s.Devices, device)
	}
}
