package stack

import (
	"slices"
	"strings"
)

// find gives the service of that name, nil when there is none.
func (s *Spec) find(name string) *Service {
	i := slices.IndexFunc(s.Services, func(one Service) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Services[i]
}

// carrier gives the service whose network s really uses, following network_mode service:NAME.
func (s *Spec) carrier(name string) *Service {
	at := s.find(name)
	for range s.Services {
		if at == nil || !strings.HasPrefix(at.NetworkMode, serviceMode) {
			return at
		}
		at = s.find(strings.TrimPrefix(at.NetworkMode, serviceMode))
	}
	return nil
}

// shareNetwork makes a service that uses another's network wait for it, as compose does, and finds circles.
func (c *converter) shareNetwork(spec *Spec) {
	for i := range spec.Services {
		s := &spec.Services[i]
		if strings.HasPrefix(s.NetworkMode, serviceMode) && spec.carrier(s.Name) == nil {
			c.invalid(c.at("services", s.Name, "network_mode"), "the services use one another's network in a circle")
		}
	}
}

// cutOff takes every way out of main's network when the task says that the agent has no network.
func (c *converter) cutOff(spec *Spec) {
	if !c.in.NoNetwork {
		return
	}
	carrier := spec.carrier(Main)
	if carrier == nil || carrier.NetworkMode == "none" {
		return
	}
	if carrier.NetworkMode == "host" {
		c.invalid(c.at("services", Main, "network_mode"), "the task says that the agent has no network, and "+carrier.Name+" uses the host's")
		return
	}
	shared := make(map[string]bool)
	for _, a := range carrier.Networks {
		shared[a.Network] = true
	}
	if carrier.Name == Main && alone(spec, shared) && !c.in.Gated {
		carrier.NetworkMode, carrier.Networks = "none", nil
		carrier.DNS, carrier.ExtraHosts = nil, nil
		spec.Networks = slices.DeleteFunc(spec.Networks, func(n Network) bool { return shared[n.Name] })
		return
	}
	for i := range spec.Networks {
		n := &spec.Networks[i]
		if !shared[n.Name] {
			continue
		}
		n.Internal = true
		if n.External != "" {
			c.invalid(c.at("networks", n.Name, "external"), "the task says that the agent has no network, and this one is not the trial's to cut off")
		}
	}
	c.leaks(spec, shared)
}

// alone says whether nobody but main joins the networks.
func alone(spec *Spec, shared map[string]bool) bool {
	for _, s := range spec.Services {
		for _, a := range s.Networks {
			if s.Name != Main && shared[a.Network] {
				return false
			}
		}
	}
	return true
}

// leaks reports what could still carry data out: resolvers, and sidecars with one foot outside.
func (c *converter) leaks(spec *Spec, shared map[string]bool) {
	for _, s := range spec.Services {
		inside := slices.ContainsFunc(s.Networks, func(a Attachment) bool { return shared[a.Network] })
		if !inside {
			continue
		}
		if len(s.DNS) > 0 {
			c.invalid(c.at("services", s.Name, "dns"), "the task says that the agent has no network, and a resolver is a way out")
		}
		for _, a := range s.Networks {
			i := slices.IndexFunc(spec.Networks, func(n Network) bool { return n.Name == a.Network })
			if i >= 0 && !spec.Networks[i].Internal {
				c.warn(c.at("services", s.Name, "networks"), "the agent has no network, but can reach "+s.Name+
					", which also joins "+a.Network+", a network with a way out")
			}
		}
	}
}
