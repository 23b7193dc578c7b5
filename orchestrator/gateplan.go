package orchestrator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/egress"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// GatePlan is what a stack may reach in its phases, where that is neither everything nor nothing throughout. A gateway then stands between the stack's
// networks, which have no other way out, and the world.
type GatePlan struct {
	// Policies are those of the phases by name.
	Policies map[string]egress.Policy
	Start    string
	// Follow are the services whose network changes with the policy: the agent's container, and those in its networks that the task does not place elsewhere.
	Follow []string
	// Names are those by which the stack's services find one another.
	Names []string
}

// The names of the policies that need no list.
const (
	policyOpen   = "public"
	policyClosed = "no-network"
)

// gateMemory bounds a gateway, in bytes: an agent may open connections without end.
const gateMemory = 256 << 20

// outsideNetwork is what the stack calls the network with a way out.
const outsideNetwork = "seatrial-outside"

// gateOf plans a gateway for the policies that a stack has in turn; nil where all are the same and need none.
func gateOf(start task.Policy, later ...task.Policy) *GatePlan {
	g := &GatePlan{Policies: map[string]egress.Policy{}}
	g.Start = g.name(start)
	for _, p := range later {
		g.name(p)
	}
	if _, same := g.Policies[g.Start]; same && len(g.Policies) == 1 && start.Mode != task.Allowlist {
		return nil
	}
	return g
}

// name files a policy under the name that it has in this plan, the same for equal ones.
func (g *GatePlan) name(p task.Policy) string {
	if g == nil {
		return ""
	}
	want, name := egress.Policy{}, policyClosed
	switch p.Mode {
	case task.Public:
		want, name = egress.Policy{Open: true}, policyOpen
	case task.Allowlist:
		want.Hosts = slices.Compact(slices.Sorted(slices.Values(p.Hosts)))
		for n := 1; ; n++ {
			name = fmt.Sprintf("allowlist-%d", n)
			old, taken := g.Policies[name]
			if !taken || slices.Equal(old.Hosts, want.Hosts) {
				break
			}
		}
	case task.NoNetwork:
	}
	g.Policies[name] = want
	return name
}

// agentPolicy is what the agent may reach in a part: what the task says, and what the agent itself needs to work.
func (p *Plan) agentPolicy(c *task.Config, step int) task.Policy {
	policy := c.AgentNetwork(step)
	if p.Agent.File == nil || len(p.Agent.File.Hosts) == 0 || policy.Mode == task.Public {
		return policy
	}
	policy.Mode = task.Allowlist
	policy.Hosts = append(slices.Clone(policy.Hosts), p.Agent.File.Hosts...)
	return policy
}

// gate plans the network of the agent's stack.
func (p *Plan) gate(c *task.Config) *GatePlan {
	var later []task.Policy
	for _, part := range p.Task.Parts {
		if p.Agent.Kind != AgentNop {
			later = append(later, p.agentPolicy(c, part.Step))
		}
		if part.Mode == task.Shared {
			later = append(later, c.VerifierNetwork(part.Step))
		}
	}
	return gateOf(c.StartNetwork(), later...)
}

// ownNetwork gives a container that is cut off, and alone, a network for itself and what is put beside it.
func ownNetwork(spec *stack.Spec) {
	main := sidecar.Find(spec, stack.Main)
	if main.NetworkMode != "none" {
		return
	}
	name := stack.Default
	for slices.ContainsFunc(spec.Networks, func(n stack.Network) bool { return n.Name == name }) {
		name = "seatrial-inside" // the task's own of that name may have a way out
	}
	main.NetworkMode = ""
	main.Networks = []stack.Attachment{{Network: name, Aliases: []string{stack.Main}}}
	spec.Networks = append(spec.Networks, stack.Network{Name: name, Internal: true})
}

// reserved finds names of the task's that are the tool's own.
func reserved(spec *stack.Spec) error {
	own := func(name string) bool { return strings.HasPrefix(strings.ToLower(name), "seatrial-") }
	for _, n := range spec.Networks {
		if own(n.Name) {
			return fmt.Errorf("a network of the compose file is called %s, and names that begin with seatrial- are the tool's", n.Name)
		}
	}
	for i := range spec.Services {
		s := &spec.Services[i]
		names := []string{s.Name, s.Hostname}
		for _, a := range s.Networks {
			names = append(names, a.Aliases...)
		}
		if i := slices.IndexFunc(names, own); i >= 0 {
			return fmt.Errorf("a service of the compose file is called %s, and names that begin with seatrial- are the tool's", names[i])
		}
	}
	return nil
}

// addGate puts the gateway into a stack, whose networks have been cut off.
func addGate(spec *stack.Spec, g *GatePlan, besides ...string) error {
	if g == nil {
		return nil
	}
	if err := reserved(spec); err != nil {
		return err
	}
	ownNetwork(spec)
	carrier := carrierOf(spec)
	switch {
	case carrier == nil || len(carrier.Networks) == 0:
		return errors.New("the agent's container has no network of the trial's own, so that what it may reach cannot be limited")
	case len(carrier.Networks) > 1:
		return errors.New("the agent's container joins several networks of the compose file; what it may reach can be limited, or change, in one network only")
	}
	conf := egress.Config{Policies: g.Policies, Start: g.Start, Hosts: map[string]string{}}
	inside := carrier.Networks[0].Network
	for i := range spec.Services {
		s := &spec.Services[i]
		conf.Names = append(conf.Names, s.Name)
		if s.Hostname != "" {
			conf.Names = append(conf.Names, s.Hostname)
		}
		for _, a := range s.Networks {
			conf.Names = append(conf.Names, a.Aliases...)
		}
		follows := slices.ContainsFunc(s.Networks, func(a stack.Attachment) bool { return a.Network == inside }) && !slices.Contains(besides, s.Name) && !elsewhere(spec, s)
		if !follows {
			continue
		}
		g.Follow = append(g.Follow, s.Name)
		s.ExtraHosts = slices.DeleteFunc(s.ExtraHosts, func(h string) bool {
			name, addr, ok := cutHost(h)
			a, err := netip.ParseAddr(addr)
			if !ok || err != nil || a.IsLoopback() {
				return false // it leads nowhere else
			}
			conf.Hosts[strings.ToLower(name)] = addr // the name is the gateway's to answer
			return true
		})
		if g.Policies[g.Start].Open {
			s.Networks = append(s.Networks, stack.Attachment{Network: outsideNetwork})
		}
	}
	conf.Names = append(conf.Names, egress.Service, egress.Alias)
	slices.Sort(conf.Names)
	conf.Names = slices.Compact(conf.Names)
	g.Names = conf.Names
	text, err := json.Marshal(conf)
	if err != nil {
		return fmt.Errorf("the gateway's configuration: %w", err)
	}
	spec.Networks = append(spec.Networks, stack.Network{Name: outsideNetwork, Shared: true})
	spec.Services = append(spec.Services, stack.Service{Name: egress.Service, Env: map[string]string{egress.EnvConfig: string(text)}, Helper: true,
		HasEntrypoint: true, Entrypoint: []string{fakesProgram, "egress"}, Memory: gateMemory, CapDrop: []string{"ALL"}, CapAdd: []string{"NET_BIND_SERVICE"},
		// Its kernel must not pass on what is addressed to others.
		Sysctls:  map[string]string{"net.ipv4.ip_forward": "0", "net.ipv4.conf.all.rp_filter": "1"},
		Networks: []stack.Attachment{{Network: inside, Aliases: []string{egress.Alias}}, {Network: outsideNetwork}}})
	slices.SortFunc(spec.Services, func(a, b stack.Service) int { return strings.Compare(a.Name, b.Name) })
	spec.Gateway = egress.Service
	return nil
}

// carrierOf is the service whose network main really uses.
func carrierOf(spec *stack.Spec) *stack.Service {
	s := sidecar.Find(spec, stack.Main)
	for range spec.Services {
		owner, joined := strings.CutPrefix(s.NetworkMode, "service:")
		if !joined {
			return s
		}
		if s = sidecar.Find(spec, owner); s == nil {
			return nil
		}
	}
	return s
}

// elsewhere says whether a service has a network with a way out that the task gave it: it opts out of what holds for the agent.
func elsewhere(spec *stack.Spec, s *stack.Service) bool {
	return slices.ContainsFunc(s.Networks, func(a stack.Attachment) bool {
		i := slices.IndexFunc(spec.Networks, func(n stack.Network) bool { return n.Name == a.Network })
		return i >= 0 && !spec.Networks[i].Internal && !spec.Networks[i].Shared
	})
}

// cutHost reads an entry of extra_hosts.
func cutHost(entry string) (name, addr string, ok bool) {
	if name, addr, ok = strings.Cut(entry, "="); ok {
		return name, addr, true
	}
	return strings.Cut(entry, ":")
}
