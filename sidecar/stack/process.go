package stack

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
)

// process converts what the container runs and as whom.
func (c *converter) process(s *Service, from types.ServiceConfig) {
	s.Entrypoint, s.HasEntrypoint = from.Entrypoint, from.Entrypoint != nil
	s.Command, s.HasCommand = from.Command, from.Command != nil
	s.User, s.WorkingDir = from.User, from.WorkingDir
	if s.Name == Main && s.WorkingDir == "" {
		s.WorkingDir = c.in.Workdir
	}
	s.Hostname, s.Domain = from.Hostname, from.DomainName
	s.GroupAdd = from.GroupAdd
	s.ReadOnly, s.TTY, s.StdinOpen = from.ReadOnly, from.Tty, from.StdinOpen
	s.Init = from.Init != nil && *from.Init
	s.StopSignal = from.StopSignal
	if from.StopGracePeriod != nil {
		s.StopGrace = c.duration(from.StopGracePeriod, "services", s.Name, "stop_grace_period")
	}
	if from.Restart != "" && from.Restart != types.RestartPolicyNo {
		c.warn(c.at("services", s.Name, "restart"), "ignored: nothing is restarted; a sidecar that dies ends the trial")
	}
	if from.ContainerName != "" {
		c.warn(c.at("services", s.Name, "container_name"),
			"every trial gets container names of its own; the name is an alias on the service's networks")
	}
	if from.Scale != nil && *from.Scale != 1 {
		c.unsupported(c.at("services", s.Name, "scale"), "a service is one container")
	}
	if d := from.Deploy; d != nil && d.Replicas != nil && *d.Replicas != 1 {
		c.unsupported(c.at("services", s.Name, "deploy", "replicas"), "a service is one container")
	}
}

// duration gives d, which must not be negative.
func (c *converter) duration(d *types.Duration, path ...string) time.Duration {
	if d == nil {
		return 0
	}
	if *d < 0 {
		c.invalid(c.at(path...), "is negative")
	}
	return time.Duration(*d)
}

// labels converts labels, except those that the engine's tools use to tell whose a container is.
func (c *converter) labels(s *Service, from types.ServiceConfig) {
	s.Labels = c.labelSet(from.Labels, "services", s.Name, "labels")
}

func (c *converter) labelSet(labels types.Labels, path ...string) map[string]string {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		for _, reserved := range []string{"dev.seatrial.", "com.docker.compose."} {
			if strings.HasPrefix(name, reserved) {
				c.invalid(c.at(extend(path, name)...), "label "+name+": names that begin with "+reserved+" are reserved")
			}
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}
