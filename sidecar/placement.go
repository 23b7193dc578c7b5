package sidecar

import (
	"cmp"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/network"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// unroutable is an address of RFC 5737 that nobody answers at. As a container's name server it closes the way out that the engine's
// own resolver would be: engines up to 25 forward questions from internal networks through the host.
const unroutable = "192.0.2.53"

// placement says what the engine's names for the parts of one trial are, and what this engine can do. It is decided before
// anything is created.
type placement struct {
	trial         string
	helper        string            // digest of the helper
	tools         *shelf            // with the program itself, when the stack asks for it
	logs          map[string]string // log folder -> volume name, empty = anonymous
	lone          bool              // one container without a network of its own
	noDNS         bool              // names outside the stack must not resolve
	startInterval bool              // API 1.44 knows it
	manyNetworks  bool              // API 1.44 takes several endpoints in one create
	asksNobody    bool              // from API 1.45 on, names are not asked for outside where a container has internal networks only
	volumes       map[string]stack.Volume
	external      map[string]string // network -> the engine's name of one that is there already
	networks      map[string]string // network -> the engine's id, once it has been made
	shared        string            // likewise of the network that lone containers share
	outside       string            // the stack's name of that network, where services join it
	gateway       string            // the service that answers names, and its address in its first network
	gatewayAt     string
	answered      string          // that network
	open          map[string]bool // networks of the stack's own with a way out
}

func logFolders() []string { return []string{"agent", "artifacts", "verifier"} }

// place decides how a stack is laid out. A trial of one container needs no network of its own.
func place(spec *stack.Spec, scope Scope, api, helper string) placement {
	p := placement{trial: scope.Trial, helper: helper, logs: map[string]string{}, startInterval: !older(api, "1.44"), manyNetworks: !older(api, "1.44"), asksNobody: !older(api, "1.45")}
	p.volumes, p.external, p.open = map[string]stack.Volume{}, map[string]string{}, map[string]bool{}
	for _, v := range spec.Volumes {
		p.volumes[v.Name] = v
	}
	p.lone = len(spec.Services) == 1
	for _, n := range spec.Networks {
		if n.Shared {
			p.outside = n.Name
		} else if !n.Internal {
			p.open[n.Name] = true
		}
		if n.Internal || n.Name != stack.Default || n.External != "" || n.Subnet != "" {
			p.lone = false
		}
		if n.External != "" {
			p.external[n.Name] = n.External
		}
	}
	for i := range spec.Services {
		for _, m := range spec.Services[i].Mounts {
			if m.Type == stack.MountLogs && spec.Services[i].Name != stack.Main {
				p.logs[m.Source] = objectName(scope.Trial, "logs-"+m.Source)
			}
		}
	}
	p.noDNS = mainIsCutOff(spec)
	if g := Find(spec, spec.Gateway); spec.Gateway != "" && g != nil {
		p.gateway, p.answered, p.noDNS = spec.Gateway, g.Networks[0].Network, false
	}
	return p
}

// mainIsCutOff says whether the agent's container joins internal networks only.
func mainIsCutOff(spec *stack.Spec) bool {
	svc := Find(spec, stack.Main)
	for svc != nil && strings.HasPrefix(svc.NetworkMode, "service:") {
		svc = Find(spec, strings.TrimPrefix(svc.NetworkMode, "service:"))
	}
	if svc == nil || len(svc.Networks) == 0 {
		return false
	}
	for _, a := range svc.Networks {
		i := slices.IndexFunc(spec.Networks, func(n stack.Network) bool { return n.Name == a.Network })
		if i < 0 || !spec.Networks[i].Internal {
			return false
		}
	}
	return true
}

// Find returns the service of that name, or nil.
func Find(spec *stack.Spec, name string) *stack.Service {
	i := slices.IndexFunc(spec.Services, func(s stack.Service) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &spec.Services[i]
}

func (p placement) container(service string) string { return objectName(p.trial, service) }
func (p placement) volume(name string) string       { return objectName(p.trial, "v-"+name) }

func (p placement) network(name string) string {
	if p.outside != "" && name == p.outside {
		return cmp.Or(p.shared, sharedNetwork)
	}
	if id := p.networks[name]; id != "" {
		return id
	}
	if ext := p.external[name]; ext != "" {
		return ext
	}
	return objectName(p.trial, "n-"+name)
}

// answers says whether the stack's gateway answers a service's questions for names.
func (p placement) answers(svc *stack.Service) bool {
	if slices.ContainsFunc(svc.Networks, func(a stack.Attachment) bool { return p.open[a.Network] }) {
		return false // it has a way out of its own
	}
	return p.gateway != "" && svc.Name != p.gateway && slices.ContainsFunc(svc.Networks, func(a stack.Attachment) bool { return a.Network == p.answered })
}

func (p placement) networkMode(svc *stack.Service) string {
	switch {
	case strings.HasPrefix(svc.NetworkMode, "service:"):
		return "container:" + p.container(strings.TrimPrefix(svc.NetworkMode, "service:"))
	case svc.NetworkMode != "":
		return svc.NetworkMode
	case p.lone:
		return cmp.Or(p.shared, sharedNetwork)
	case len(svc.Networks) == 0:
		return "none"
	}
	return p.network(svc.Networks[0].Network)
}

// endpoints spreads a service's networks over the create call and later joins: before API 1.44 a create takes one.
func (b *blueprint) endpoints(svc *stack.Service, p placement) {
	if svc.NetworkMode != "" || p.lone {
		return
	}
	for i, a := range svc.Networks {
		ep := &network.EndpointSettings{Aliases: slices.Compact(slices.Sorted(slices.Values(append([]string{svc.Name}, a.Aliases...))))}
		if a.Network == p.outside {
			ep.Aliases = nil // other trials are in it: a service of this one is found in the trial's own networks only
		}
		if svc.Name == p.gateway && i == 0 {
			a.IPv4 = p.gatewayAt
		}
		if a.IPv4 != "" {
			ep.IPAMConfig = &network.EndpointIPAMConfig{IPv4Address: a.IPv4}
		}
		name := p.network(a.Network)
		if i == 0 || p.manyNetworks {
			if b.first == nil {
				b.first = &network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{}}
			}
			b.first.EndpointsConfig[name] = ep
			continue
		}
		if b.others == nil {
			b.others = map[string]*network.EndpointSettings{}
		}
		b.others[name] = ep
	}
}
