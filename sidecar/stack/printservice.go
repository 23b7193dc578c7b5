package stack

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// service writes one service, leaving out what is not set.
func (p *printer) service(s *Service) {
	// shown gives a text unless a part of the key is not to be shown.
	shown := func(key, value string) {
		if value != "" && s.Hidden[key] {
			value = hiddenValue
		}
		p.field(key, value)
	}
	list := func(key string, values []string, always bool) {
		if s.Hidden[key] && (len(values) > 0 || always) {
			p.line(1, "%s: %s", key, hiddenValue)
			return
		}
		p.list(key, values, always)
	}
	p.line(0, "service %s", safe(s.Name))
	p.image(s, shown)
	list("entrypoint", s.Entrypoint, s.HasEntrypoint)
	list("command", s.Command, s.HasCommand)
	p.pairs(1, "environment", s.Env, s.Secret, false)
	shown("user", s.User)
	shown("working_dir", s.WorkingDir)
	shown("hostname", s.Hostname)
	shown("domainname", s.Domain)
	list("group_add", s.GroupAdd, false)
	p.pairs(1, "labels", s.Labels, nil, s.Hidden["labels"])
	for _, m := range s.Mounts {
		p.mount(m, s.Hidden["volumes"] || s.Hidden["tmpfs"])
	}
	shown("network_mode", s.NetworkMode)
	for _, a := range s.Networks {
		aliases := fmt.Sprintf("%q", a.Aliases)
		if s.Hidden["networks"] || s.Hidden["container_name"] {
			aliases = hiddenValue
		}
		p.line(1, "joins %s as %s%s", safe(a.Network), aliases, named(" at", a.IPv4))
	}
	list("extra_hosts", s.ExtraHosts, false)
	list("dns", s.DNS, false)
	for _, d := range s.DependsOn {
		p.line(1, "after %s: %s%s", safe(d.Service), d.Condition, flag(!d.Required, " (not required)"))
	}
	p.health(s.Healthcheck, s.Hidden["healthcheck"])
	p.limits(s)
	p.security(s, shown, list)
	p.flags(s)
	shown("stop_signal", s.StopSignal)
	p.duration(1, "stop_grace_period", s.StopGrace)
}

func (p *printer) image(s *Service, shown func(key, value string)) {
	switch {
	case s.TaskImage && s.Image == "":
		p.line(1, "image: the task's own")
	case s.TaskImage:
		p.line(1, "image: the task's own, %s", safe(s.Image))
	default:
		shown("image", s.Image)
	}
	if s.Build != nil {
		p.build(s.Build, s.Hidden)
	}
	shown("pull_policy", s.PullPolicy)
	shown("platform", s.Platform)
}

func (p *printer) build(b *Build, hidden map[string]bool) {
	for i, f := range []struct{ key, value string }{
		{"context", b.Context}, {"dockerfile", b.Dockerfile}, {"dockerfile_inline", b.DockerfileInline},
		{"target", b.Target}, {"network", b.Network},
	} {
		text := safe(f.value)
		if hidden["build"] || hidden["build."+f.key] {
			text = hiddenValue
		}
		switch {
		case i == 0:
			p.line(1, "build: %s", text)
		case f.value != "":
			p.line(2, "%s: %s", f.key, text)
		}
	}
	p.pairs(2, "args", b.Args, nil, hidden["build.args"])
}

func (p *printer) mount(m Mount, hidden bool) {
	if hidden {
		p.line(1, "mount %s %s", m.Type, hiddenValue)
		return
	}
	source := m.Source
	switch {
	case m.Type == MountTmpfs:
		source = ""
	case source == "":
		source = " anonymous"
	default:
		source = " " + safe(source)
	}
	var b strings.Builder
	b.WriteString(flag(m.ReadOnly, " ro") + flag(m.NoCopy, " nocopy") + named(" subpath", m.Subpath))
	if m.TmpfsMax > 0 {
		fmt.Fprintf(&b, " size=%d", m.TmpfsMax)
	}
	if m.TmpfsMod > 0 {
		fmt.Fprintf(&b, " mode=%04o", m.TmpfsMod)
	}
	if len(m.TmpfsOpt) > 0 {
		fmt.Fprintf(&b, " %q", m.TmpfsOpt)
	}
	p.line(1, "mount %s%s on %s%s", m.Type, source, safe(m.Target), b.String())
}

func (p *printer) health(h *Healthcheck, hidden bool) {
	if h == nil {
		return
	}
	if hidden {
		p.line(1, "healthcheck: %s", hiddenValue)
	} else {
		p.line(1, "healthcheck: %q", h.Test)
	}
	p.duration(2, "interval", h.Interval)
	p.duration(2, "timeout", h.Timeout)
	p.duration(2, "start_period", h.StartPeriod)
	p.duration(2, "start_interval", h.StartInterval)
	if h.Retries > 0 {
		p.line(2, "retries: %d", h.Retries)
	}
}

func (p *printer) duration(depth int, key string, d time.Duration) {
	if d != 0 {
		p.line(depth, "%s: %s", key, d)
	}
}

func (p *printer) limits(s *Service) {
	if s.CPUs != 0 {
		p.line(1, "cpus: %s", strconv.FormatFloat(s.CPUs, 'g', -1, 64))
	}
	for _, l := range []struct {
		key   string
		value int64
	}{
		{"memory", s.Memory}, {"memory_swap", s.MemorySwap}, {"memory_reservation", s.MemoryRes}, {"pids", s.Pids},
		{"shm_size", s.ShmSize}, {"gpus", int64(s.GPUs)},
	} {
		if l.value != 0 {
			p.line(1, "%s: %d", l.key, l.value)
		}
	}
	for _, u := range s.Ulimits {
		p.line(1, "ulimit %s: %d to %d", safe(u.Name), u.Soft, u.Hard)
	}
}

func (p *printer) security(s *Service, shown func(string, string), list func(string, []string, bool)) {
	p.pairs(1, "sysctls", s.Sysctls, nil, s.Hidden["sysctls"])
	list("cap_add", s.CapAdd, false)
	list("cap_drop", s.CapDrop, false)
	list("security_opt", s.SecurityOpt, false)
	shown("pid", s.PidMode)
	shown("ipc", s.IpcMode)
	shown("uts", s.UTSMode)
	shown("userns_mode", s.UsernsMode)
	shown("cgroup", s.CgroupMode)
	shown("cgroup_parent", s.CgroupParent)
	list("device_cgroup_rules", s.DeviceCgroupRules, false)
	for _, d := range s.Devices {
		if s.Hidden["devices"] {
			p.line(1, "device %s", hiddenValue)
			continue
		}
		p.line(1, "device %s as %s (%s)", safe(d.Host), safe(d.Container), safe(d.Permissions))
	}
}

func (p *printer) flags(s *Service) {
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"privileged", s.Privileged}, {"read_only", s.ReadOnly}, {"init", s.Init}, {"tty", s.TTY}, {"stdin_open", s.StdinOpen},
	} {
		if f.on {
			p.line(1, "%s", f.name)
		}
	}
}
