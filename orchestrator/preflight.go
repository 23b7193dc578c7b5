package orchestrator

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// Preflight sees that a run can begin, before anything is started. It waits ten seconds for the engine. Errors are *sidecar.UnusableError and
// *sidecar.SpaceError.
func Preflight(ctx context.Context, conn *sidecar.Engine, room sidecar.Room) (sidecar.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, engineAnswer)
	defer cancel()
	return conn.Preflight(ctx, room)
}

// fitNow sees that trials can be begun now, in the middle of a run: the engine is there, and the disks have room. Errors are those of Preflight.
func fitNow(ctx context.Context, conn *sidecar.Engine, room sidecar.Room) error {
	ctx, cancel := context.WithTimeout(ctx, engineAnswer)
	defer cancel()
	if err := conn.Answers(ctx); err != nil {
		return err
	}
	_, err := conn.Preflight(ctx, room)
	return err
}

// refuseBinds turns plans that bind folders of this machine into errors when the engine is on another one: there the path would be missing or,
// worse, something else.
func refuseBinds(jobs []Job, h sidecar.Host) {
	if h.Local() {
		return
	}
	for i := range jobs {
		p := jobs[i].Plan
		if p == nil || jobs[i].Err != nil {
			continue
		}
		if service, path, ok := bound(p.Spec); ok {
			jobs[i].Plan, jobs[i].Err = nil, &UnsupportedError{File: filepath.Join(p.Task.Dir, "environment", "docker-compose.yaml"), Key: "services." + service + ".volumes",
				What: fmt.Sprintf("%s is a path of this machine, and the engine at %s is on another; copy the files in the Dockerfile instead, or use a local engine", path, h.Address)}
		}
	}
}

// bound finds a path of the host that a stack mounts, and for which service.
func bound(s *stack.Spec) (service, path string, found bool) {
	devices := map[string]string{} // volumes of the local driver that are bound folders
	for i := range s.Volumes {
		v := &s.Volumes[i]
		if v.External == "" && slices.Contains(strings.Split(v.DriverOpts["o"], ","), "bind") {
			devices[v.Name] = v.DriverOpts["device"]
		}
	}
	for i := range s.Services {
		for _, m := range s.Services[i].Mounts {
			if m.Type == stack.MountBind {
				return s.Services[i].Name, m.Source, true
			}
			if d, ok := devices[m.Source]; ok && m.Type == stack.MountVolume {
				return s.Services[i].Name, d, true
			}
		}
	}
	return "", "", false
}

// warnLoose warns of limits that tasks set and the engine does not enforce.
func warnLoose(jobs []Job, in sidecar.Info) {
	for i := range jobs {
		p := jobs[i].Plan
		if p == nil {
			continue
		}
		var loose []string
		for _, l := range in.Loose {
			if slices.ContainsFunc(p.Spec.Services, func(s stack.Service) bool { return limited(&s, l) }) {
				loose = append(loose, string(l))
			}
		}
		if len(loose) > 0 {
			p.warn("limits_not_enforced", "the engine does not enforce limits on "+strings.Join(loose, ", ")+", so the task may use more than it is given; `seatrial doctor` says why")
		}
	}
}

// limited says whether a service has a limit of its own of one kind.
func limited(s *stack.Service, l sidecar.Resource) bool {
	switch l {
	case sidecar.Memory:
		return s.Memory > 0
	case sidecar.CPUs:
		return s.CPUs > 0
	case sidecar.Processes:
		return s.Pids > 0
	}
	return false
}
