package sidecar

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/go-units"
)

// roomy is how many times the least free space a disk should have.
const roomy = 5

// machine says what the engine runs on: processors, memory, limits, storage and disks.
func (x *examination) machine(ctx context.Context) []Finding {
	room := x.checkup.Room
	records := room.finding("disk_records", "the runs folder", room.RunsDir)
	m, err := x.eng.machine(ctx)
	if err != nil {
		return []Finding{unknown("machine", "what the engine runs on", err), records}
	}
	return []Finding{resourcesOf(&m), cgroupsOf(&m), storageOf(&m), usersOf(&m), x.engineDisk(room, m.DockerRootDir), records}
}

func resourcesOf(m *system.Info) Finding {
	f := Finding{ID: "machine", Level: LevelOK, Says: fmt.Sprintf("%s, %s, %s of memory", m.OperatingSystem, plural(m.NCPU, "processor"), size(m.MemTotal)),
		Facts: map[string]any{"os": m.OperatingSystem, "cpus": m.NCPU, "memory": m.MemTotal}}
	return f
}

// cgroupsOf says whether limits of tasks hold.
func cgroupsOf(m *system.Info) Finding {
	f := Finding{ID: "cgroups", Level: LevelOK, Says: fmt.Sprintf("version %s, driver %s", m.CgroupVersion, m.CgroupDriver),
		Facts: map[string]any{"version": m.CgroupVersion, "driver": m.CgroupDriver, "memory": m.MemoryLimit, "cpu": m.CPUCfsQuota, "pids": m.PidsLimit}}
	none := loose(m)
	if m.CgroupVersion == "" {
		f.Says = "version unknown, driver " + m.CgroupDriver
	}
	if len(none) > 0 {
		f.Level, f.Says = LevelWarn, fmt.Sprintf("%s; limits do not hold on %v", f.Says, none)
		f.Advice = "Tasks can use the whole machine: give the engine cgroup v2 with delegation, or run it as root."
	}
	return f
}

func storageOf(m *system.Info) Finding {
	f := Finding{ID: "storage", Level: LevelOK, Says: "driver " + m.Driver, Facts: map[string]any{"driver": m.Driver}}
	if m.Driver == "vfs" {
		f.Level, f.Says, f.Advice = LevelWarn, f.Says+", which copies the whole image for each container", "Give the engine overlay2, or fuse-overlayfs where that is not possible."
	}
	return f
}

// usersOf says as whom the engine and its containers run.
func usersOf(m *system.Info) Finding {
	has := func(name string) bool {
		return slices.ContainsFunc(m.SecurityOptions, func(o string) bool { return o == name || o == "name="+name || strings.HasPrefix(o, "name="+name+",") })
	}
	rootless, userns := has("rootless"), has("userns")
	f := Finding{ID: "users", Level: LevelOK, Facts: map[string]any{"rootless": rootless, "user_namespaces": userns || rootless}}
	switch {
	case rootless:
		f.Says = "rootless engine; root in a container is an ordinary user of the machine"
	case userns:
		f.Says = "user namespaces; root in a container is no root of the machine"
	default:
		f.Says = "rootful engine without user namespaces"
	}
	return f
}

// engineDisk measures the disk of the engine's data where it can be seen from here.
func (x *examination) engineDisk(room Room, dir string) Finding {
	if !x.eng.host.Local() || !there(dir) {
		return Finding{ID: "disk_engine", Level: LevelOK, Says: fmt.Sprintf("the engine's data is at %s of its own machine, whose disk cannot be measured from here", dir),
			Facts: map[string]any{"path": dir}}
	}
	return room.finding("disk_engine", "the engine's data", dir)
}

// finding measures a disk for an examination.
func (r Room) finding(id, what, path string) Finding {
	at, free, err := freeSpace(path)
	f := Finding{ID: id, Level: LevelOK, Says: fmt.Sprintf("%s free for %s at %s", size(free), what, at), Facts: map[string]any{"path": at, "free": free, "wanted": r.MinFree}}
	switch {
	case err != nil:
		f.Level, f.Says, f.Advice = LevelWarn, "the free space for "+what+" at "+at+" cannot be measured", "See that there is enough."
		delete(f.Facts, "free")
	case free < r.MinFree:
		f.Level, f.Advice = LevelFail, "Remove what is not needed (`docker system df` shows the engine's part), or allow less with --min-free."
	case free/roomy < r.MinFree:
		f.Level, f.Advice = LevelWarn, "It is little for building images; runs stop below "+size(r.MinFree)+"."
	}
	return f
}

func size(n int64) string { return units.BytesSize(float64(n)) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
