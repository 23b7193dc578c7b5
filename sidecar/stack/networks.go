package stack

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// networks converts the networks that some service joins.
func (c *converter) networks(spec *Spec) []Network {
	fixed := make(map[string]bool) // whether a service has a fixed address there
	for _, s := range spec.Services {
		for _, a := range s.Networks {
			fixed[a.Network] = fixed[a.Network] || a.IPv4 != ""
		}
	}
	var all []Network
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		all = append(all, c.network(name, c.project.Networks[name], fixed[name]))
	}
	return all
}

func (c *converter) network(name string, from types.NetworkConfig, fixed bool) Network {
	at := func(key string) Place { return c.at("networks", name, key) }
	n := Network{Name: name, Internal: from.Internal, Driver: from.Driver}
	if from.External {
		if c.allowed(AllowOutsideNetworks, at("external"), "the network is not the trial's own") {
			n.External = from.Name
			if n.External == "" {
				n.External = name
			}
		}
		return n
	}
	n.Labels = c.labelSet(from.Labels, "networks", name, "labels")
	if from.Driver != "" && from.Driver != "bridge" {
		c.unsupported(at("driver"), from.Driver+"; networks are bridges")
	}
	if c.fixedName(from.Name) {
		c.warn(at("name"), "ignored: every trial gets a network of its own")
	}
	c.addresses(&n, from, fixed, at("ipam"))
	return n
}

// fixedName says whether name would be the same in two trials.
func (c *converter) fixedName(name string) bool {
	project := c.in.Vars["COMPOSE_PROJECT_NAME"]
	return name != "" && (project == "" || !strings.Contains(name, project))
}

// addresses keeps a network's subnet only where a service needs an address in it, for two trials cannot share one.
func (c *converter) addresses(n *Network, from types.NetworkConfig, fixed bool, at Place) {
	var v4 []*types.IPAMPool
	for _, pool := range from.Ipam.Config {
		if pool == nil {
			continue
		}
		if subnet, err := netip.ParsePrefix(pool.Subnet); err != nil {
			c.invalid(at, "subnet "+pool.Subnet+" is not an address range like 10.1.0.0/24")
		} else if subnet.Addr().Is4() {
			v4 = append(v4, pool)
		}
	}
	switch {
	case fixed && len(v4) == 0:
		c.invalid(c.at("networks", n.Name), "a service has an ipv4_address in this network, which needs a subnet under ipam.config")
	case fixed:
		n.Subnet, n.Gateway, n.IPRange = v4[0].Subnet, v4[0].Gateway, v4[0].IPRange
		c.warn(at, "two trials of this task cannot run at the same time, because its subnet is fixed")
	case len(from.Ipam.Config) > 0:
		c.warn(at, "ignored: every trial gets a subnet of its own, and no service has a fixed address in this one")
	}
}
