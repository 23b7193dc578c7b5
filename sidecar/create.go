package sidecar

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/strslice"
	"github.com/docker/go-units"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// Limits that every container gets unless its service sets its own.
const (
	DefaultPids = 4096
	logMaxSize  = "10m"
	logMaxFiles = "2"
)

// Image is what a service's container is made from.
type Image struct {
	// Ref is an image id or reference that is present on the engine.
	Ref string
	// Entrypoint and Cmd are the image's own.
	Entrypoint, Cmd []string
	// Healthcheck says that the image has a health check of its own.
	Healthcheck bool
}

// blueprint is a container in the engine's terms, ready to be created.
type blueprint struct {
	name     string
	service  string
	config   *container.Config
	host     *container.HostConfig
	first    *network.NetworkingConfig            // the one network of the create call
	others   map[string]*network.EndpointSettings // joined before the start
	platform *ocispec.Platform
}

// draft turns a service into a container, purely. nets maps the stack's network names to the engine's.
func draft(svc *stack.Service, img Image, scope Scope, place placement) blueprint {
	b := blueprint{name: place.container(svc.Name), service: svc.Name}
	b.config = &container.Config{
		Image: img.Ref, Env: envList(svc.Env), User: svc.User, WorkingDir: svc.WorkingDir, Hostname: svc.Hostname, Domainname: svc.Domain,
		Labels: merged(svc.Labels, scope.labels(LabelService, svc.Name)), Tty: svc.TTY, OpenStdin: svc.StdinOpen,
		StopSignal: svc.StopSignal, Healthcheck: health(svc.Healthcheck, place.startInterval),
	}
	setCommand(b.config, svc, img)
	b.host = &container.HostConfig{
		LogConfig:   container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": logMaxSize, "max-file": logMaxFiles}},
		NetworkMode: container.NetworkMode(place.networkMode(svc)),
		Privileged:  svc.Privileged, ReadonlyRootfs: svc.ReadOnly, CapAdd: svc.CapAdd, CapDrop: svc.CapDrop, SecurityOpt: svc.SecurityOpt,
		GroupAdd: svc.GroupAdd, ExtraHosts: svc.ExtraHosts, DNS: svc.DNS, Sysctls: svc.Sysctls, ShmSize: svc.ShmSize,
		PidMode: container.PidMode(svc.PidMode), IpcMode: container.IpcMode(svc.IpcMode), UTSMode: container.UTSMode(svc.UTSMode),
		UsernsMode: container.UsernsMode(svc.UsernsMode), CgroupnsMode: container.CgroupnsMode(svc.CgroupMode),
		Resources: resources(svc), Tmpfs: tmpfs(svc.Mounts),
	}
	switch {
	case place.noDNS:
		b.host.DNS = []string{unroutable}
	case place.answers(svc):
		b.host.DNS = []string{place.gatewayAt}
	}
	b.host.Mounts = place.mounts(svc, scope)
	b.endpoints(svc, place)
	if p := strings.Split(svc.Platform, "/"); svc.Platform != "" && len(p) >= 2 {
		b.platform = &ocispec.Platform{OS: p[0], Architecture: p[1]}
		if len(p) > 2 {
			b.platform.Variant = p[2]
		}
	}
	return b
}

// setCommand keeps the image's entrypoint. The agent's container is held by the helper, which is also its first process, so that
// orphans are reaped and a stop takes no grace period.
func setCommand(c *container.Config, svc *stack.Service, img Image) {
	entry, cmd := img.Entrypoint, img.Cmd
	if svc.HasEntrypoint {
		entry, cmd = svc.Entrypoint, nil
	}
	if svc.HasCommand {
		cmd = svc.Command // an empty one leaves the entrypoint alone
	}
	switch {
	case svc.Name == stack.Main && len(entry)+len(svc.Command) == 0:
		c.Entrypoint = shim.Init()
	case svc.Name == stack.Main && !svc.HasCommand:
		c.Entrypoint = shim.Init(append(slices.Clone(entry), shim.Path, "hold")...)
	case svc.Name == stack.Main, svc.Init:
		c.Entrypoint = shim.Init(append(slices.Clone(entry), cmd...)...)
	default:
		if svc.HasEntrypoint || svc.HasCommand && len(cmd) == 0 { // naming the entrypoint makes the engine leave out the image's command
			c.Entrypoint = entry
			if len(entry) == 0 {
				c.Entrypoint = strslice.StrSlice{""} // how the API spells "none"
			}
		}
		if svc.HasCommand && len(cmd) > 0 {
			c.Cmd = cmd
		}
	}
}

func resources(svc *stack.Service) container.Resources {
	pids := svc.Pids
	if pids == 0 {
		pids = DefaultPids
	}
	r := container.Resources{NanoCPUs: int64(svc.CPUs * 1e9), Memory: svc.Memory, MemorySwap: svc.MemorySwap, MemoryReservation: svc.MemoryRes, PidsLimit: &pids,
		CgroupParent: svc.CgroupParent, DeviceCgroupRules: svc.DeviceCgroupRules}
	if r.Memory > 0 && r.MemorySwap == 0 {
		r.MemorySwap = r.Memory // a limit that swap stretches is none
	}
	for _, u := range svc.Ulimits {
		r.Ulimits = append(r.Ulimits, &units.Ulimit{Name: u.Name, Soft: u.Soft, Hard: u.Hard})
	}
	for _, d := range svc.Devices {
		r.Devices = append(r.Devices, container.DeviceMapping{PathOnHost: d.Host, PathInContainer: d.Container, CgroupPermissions: d.Permissions})
	}
	if svc.GPUs != 0 {
		r.DeviceRequests = []container.DeviceRequest{{Driver: "", Count: svc.GPUs, Capabilities: [][]string{{"gpu"}}}}
	}
	return r
}

func health(h *stack.Healthcheck, startInterval bool) *container.HealthConfig {
	if h == nil {
		return nil
	}
	c := &container.HealthConfig{Test: h.Test, Interval: h.Interval, Timeout: h.Timeout, StartPeriod: h.StartPeriod, Retries: h.Retries}
	if startInterval {
		c.StartInterval = h.StartInterval
	}
	return c
}

func envList(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return out
}

// mounts lists what a service's container sees besides its image.
func (p placement) mounts(svc *stack.Service, scope Scope) []mount.Mount {
	var out []mount.Mount
	if svc.Name == stack.Main || svc.Init || svc.Helper {
		out = append(out, helperMount(p.helper))
	}
	if svc.Name == stack.Main && p.tools != nil {
		out = append(out, p.tools.mount())
	}
	labels := scope.labels()
	if svc.Name == stack.Main {
		for _, l := range logFolders() {
			if slices.ContainsFunc(svc.Mounts, func(m stack.Mount) bool { return m.Type != stack.MountLogs && m.Target == "/logs/"+l }) {
				continue // the task's own
			}
			out = append(out, mount.Mount{Type: mount.TypeVolume, Source: p.logs[l], Target: "/logs/" + l, VolumeOptions: &mount.VolumeOptions{Labels: labels}})
		}
		for _, dir := range readOnlyFolders(svc) {
			out = append(out, mount.Mount{Type: mount.TypeVolume, Target: dir, VolumeOptions: &mount.VolumeOptions{Labels: labels}})
		}
	}
	for _, m := range svc.Mounts {
		if m.Type == stack.MountLogs && svc.Name == stack.Main && strings.HasPrefix(m.Target, "/logs/") {
			continue // there already
		}
		if m.Type == stack.MountTmpfs {
			continue
		}
		out = append(out, p.mount(m, labels))
	}
	return out
}

func (p placement) mount(m stack.Mount, labels map[string]string) mount.Mount {
	out := mount.Mount{Target: m.Target, ReadOnly: m.ReadOnly}
	switch m.Type {
	case stack.MountBind:
		out.Type, out.Source = mount.TypeBind, m.Source
	case stack.MountLogs:
		out.Type, out.Source, out.VolumeOptions = mount.TypeVolume, p.logs[m.Source], &mount.VolumeOptions{Labels: labels}
	case stack.MountVolume:
		out.Type, out.VolumeOptions = mount.TypeVolume, &mount.VolumeOptions{Labels: labels, NoCopy: m.NoCopy, Subpath: m.Subpath}
		if m.Source != "" {
			p.named(&out, m.Source)
		}
	case stack.MountTmpfs: // see tmpfs
	}
	return out
}

// named makes a mount one of a named volume: the trial's own, or one that was there before and stays.
func (p placement) named(out *mount.Mount, name string) {
	v := p.volumes[name]
	if v.External != "" {
		out.Source, out.VolumeOptions.Labels = v.External, nil
		return
	}
	out.Source, out.VolumeOptions.Labels = p.volume(name), merged(v.Labels, out.VolumeOptions.Labels)
	if len(v.DriverOpts) > 0 {
		out.VolumeOptions.DriverConfig = &mount.Driver{Name: "local", Options: v.DriverOpts}
	}
}

// tmpfs lists a service's memory file systems as the engine's --tmpfs takes them: mounts of that type know only size and mode.
func tmpfs(mounts []stack.Mount) map[string]string {
	out := map[string]string{}
	for _, m := range mounts {
		if m.Type != stack.MountTmpfs {
			continue
		}
		opts := slices.Clone(m.TmpfsOpt)
		if m.TmpfsMax > 0 {
			opts = append(opts, fmt.Sprintf("size=%d", m.TmpfsMax))
		}
		if m.TmpfsMod != 0 {
			opts = append(opts, fmt.Sprintf("mode=%o", m.TmpfsMod))
		}
		if m.ReadOnly {
			opts = append(opts, "ro")
		}
		out[m.Target] = strings.Join(opts, ",")
	}
	return out
}

// OwnDir is the folder in the agent's container that the tool puts files into.
const OwnDir = "/seatrial"

// readOnlyFolders are what must be writable although the container's root is not, unless the task mounts something there.
func readOnlyFolders(svc *stack.Service) []string {
	if !svc.ReadOnly {
		return nil
	}
	return slices.DeleteFunc([]string{OwnDir, "/tests", "/solution"}, func(dir string) bool {
		return slices.ContainsFunc(svc.Mounts, func(m stack.Mount) bool { return m.Target == dir })
	})
}
