// Package egress is the only way out of a trial's networks where its task allows some hosts and no others, or changes what it allows between phases. It
// answers names, forwards TLS by the name that it is for and HTTP by its Host, refuses all else, and keeps a log of who tried what.
package egress

import (
	"net/netip"
	"slices"
	"strings"
)

// Policy is what may be reached.
type Policy struct {
	// Open lets everything through.
	Open bool `json:"open,omitempty"`
	// Hosts are lower-case names without a final dot, "*." and a name for all names below it, addresses, and CIDR ranges.
	Hosts []string `json:"hosts,omitempty"`
}

// Name says whether a host may be reached by its name. What is allowed with "*." does not include the name itself, and a plain name no others.
func (p Policy) Name(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" {
		return false
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return p.Address(addr)
	}
	return p.Open || slices.ContainsFunc(p.Hosts, func(h string) bool {
		if below, ok := strings.CutPrefix(h, "*."); ok {
			return strings.HasSuffix(host, "."+below)
		}
		return h == host
	})
}

// Address says whether an address may be reached as such.
func (p Policy) Address(addr netip.Addr) bool {
	addr = addr.Unmap()
	return p.Open || slices.ContainsFunc(p.Hosts, func(h string) bool {
		if r, err := netip.ParsePrefix(h); err == nil {
			return r.Contains(addr)
		}
		a, err := netip.ParseAddr(h)
		return err == nil && a.Unmap() == addr
	})
}

// Within says whether everything that the policy allows is allowed by another too, as far as that can be seen from the lists.
func (p Policy) Within(other Policy) bool {
	if other.Open {
		return true
	}
	return !p.Open && !slices.ContainsFunc(p.Hosts, func(h string) bool { return !slices.Contains(other.Hosts, h) })
}

// wild says whether a host is allowed by a name with "*." only: whoever owns the name chooses what is below it, and where that leads.
func (p Policy) wild(host string) bool { return !p.Open && !slices.Contains(p.Hosts, host) }

// Numeric says whether the policy names addresses: they are reached through the proxy, since a network without a way out has no route to them.
func (p Policy) Numeric() bool {
	return slices.ContainsFunc(p.Hosts, func(h string) bool {
		_, a := netip.ParseAddr(h)
		_, r := netip.ParsePrefix(h)
		return a == nil || r == nil
	})
}

// Config is all that the gateway is told.
type Config struct {
	// Policies are those of the trial's phases by name; Start is the first one's.
	Policies map[string]Policy `json:"policies"`
	Start    string            `json:"start"`
	// Names are the services of the stack, which always find one another.
	Names []string `json:"names"`
	// Hosts are addresses of names, as the task's compose file gives them to its containers.
	Hosts map[string]string `json:"hosts,omitempty"`
}

// The gateway's ports and files.
const (
	ProxyPort = 3128
	Folder    = "/egress"
	Ready     = Folder + "/ready"
	Log       = Folder + "/log.jsonl"
	Socket    = Folder + "/control.sock"
	EnvConfig = "EGRESS_CONFIG"
	// Service is the gateway's name among the stack's services, and Alias the one that it has in the trial's own network only.
	Service = "seatrial-egress"
	Alias   = "seatrial-egress-inside"
)

// Ports are those on which names are reached without a proxy, by TLS or HTTP.
func Ports() []int { return []int{80, 443, 8000, 8080, 8443} }
