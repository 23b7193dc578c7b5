package stack

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"github.com/seatrial/seatrial/internal/nearest"
)

const serviceMode = "service:"

// connect converts how a service is connected: its network mode or its networks, hosts and resolvers.
func (c *converter) connect(s *Service, from types.ServiceConfig) {
	at := func(key string) Place { return c.at("services", s.Name, key) }
	s.DNS = from.DNS
	for _, address := range s.DNS {
		if _, err := netip.ParseAddr(address); err != nil {
			c.invalid(at("dns"), address+" is not an address")
		}
	}
	c.extraHosts(s, from)
	if from.NetworkMode != "" && len(from.Networks) > 0 {
		c.invalid(at("network_mode"), "network_mode and networks exclude each other")
		return
	}
	switch mode := from.NetworkMode; {
	case mode == "none":
		s.NetworkMode = mode
	case mode == "host":
		if s.Name == Main && c.in.NoNetwork {
			c.invalid(at("network_mode"), "the task says that the agent has no network, and the host's is one")
		} else if c.allowed(AllowHostNetwork, at("network_mode"), "the container uses the host's network") {
			s.NetworkMode = mode
		}
	case strings.HasPrefix(mode, serviceMode):
		c.borrow(s, from, strings.TrimPrefix(mode, serviceMode))
	case mode == "" || mode == "bridge" || mode == Default:
		if mode == "bridge" && s.Name != Main {
			c.warn(at("network_mode"), "read as the trial's own default network, on which services have names")
		}
		c.attach(s, from)
	default:
		c.unsupported(at("network_mode"), mode+"; the modes are bridge, none, service:NAME and host")
	}
}

// borrow makes s use the network of another service. The engine then takes no names, hosts or resolvers for s.
func (c *converter) borrow(s *Service, from types.ServiceConfig, other string) {
	at := c.at("services", s.Name, "network_mode")
	if _, ok := c.project.Services[other]; !ok || other == s.Name {
		c.invalid(at, "there is no other service "+other+c.didYouMean(other))
		return
	}
	s.NetworkMode = serviceMode + other
	for _, own := range []struct {
		key string
		set bool
	}{
		{"hostname", from.Hostname != ""}, {"domainname", from.DomainName != ""}, {"dns", len(from.DNS) > 0},
		{"extra_hosts", len(from.ExtraHosts) > 0},
	} {
		if own.set {
			c.invalid(c.at("services", s.Name, own.key), "has no effect with network_mode "+s.NetworkMode+"; set it on "+other)
		}
	}
}

// attach joins s to its networks, or to Default when it names none.
func (c *converter) attach(s *Service, from types.ServiceConfig) {
	networks := from.Networks
	if len(networks) == 0 {
		networks = map[string]*types.ServiceNetworkConfig{Default: nil}
	}
	for _, name := range slices.Sorted(maps.Keys(networks)) {
		if _, ok := c.project.Networks[name]; !ok && name != Default {
			text := "network " + name + " is not declared under networks"
			if n := nearest.Of(name, slices.Sorted(maps.Keys(c.project.Networks))); n != "" {
				text += "; did you mean " + n + "?"
			}
			c.invalid(c.at("services", s.Name, "networks", name), text)
			continue
		}
		a := Attachment{Network: name, Aliases: []string{s.Name}}
		if n := networks[name]; n != nil {
			a.Aliases = append(a.Aliases, n.Aliases...)
			a.IPv4 = n.Ipv4Address
			if addr, err := netip.ParseAddr(a.IPv4); a.IPv4 != "" && (err != nil || !addr.Is4()) {
				c.invalid(c.at("services", s.Name, "networks", name, "ipv4_address"), a.IPv4+" is not an IPv4 address")
			}
		}
		if from.ContainerName != "" {
			a.Aliases = append(a.Aliases, from.ContainerName)
		}
		slices.Sort(a.Aliases[1:])
		a.Aliases = slices.Compact(a.Aliases)
		s.Networks = append(s.Networks, a)
	}
}

func (c *converter) extraHosts(s *Service, from types.ServiceConfig) {
	for _, host := range slices.Sorted(maps.Keys(from.ExtraHosts)) {
		at := c.at("services", s.Name, "extra_hosts", host)
		for _, address := range from.ExtraHosts[host] {
			if address == "host-gateway" {
				if !c.allowed(AllowHostNetwork, at, "host "+host+" is the machine that the engine runs on") {
					continue
				}
			} else if _, err := netip.ParseAddr(address); err != nil {
				c.invalid(at, address+" is not an address")
			}
			s.ExtraHosts = append(s.ExtraHosts, host+":"+address)
		}
	}
}

// didYouMean names the service that is probably meant.
func (c *converter) didYouMean(name string) string {
	if n := nearest.Of(name, slices.Sorted(maps.Keys(c.project.Services))); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}
