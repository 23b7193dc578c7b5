package sidecar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/network"

	"github.com/seatrial/seatrial/internal/lock"
)

// defaultPool is where subnets are taken from. Engines run out of their own default pools after about thirty networks.
const defaultPool = "10.189.0.0/16"

// poolVariable names the environment variable that chooses another pool.
const poolVariable = "SEATRIAL_NETWORK_POOL"

const (
	stackBits  = 27   // 29 addresses for one trial's stack
	sharedBits = 21   // 2,045 single-container trials at once
	poolTries  = 40   // requests that the engine may refuse because a subnet is taken
	poolLook   = 4096 // subnets that are looked at for that
)

// Options of the engine's bridge driver.
const (
	optNoICC     = "com.docker.network.bridge.enable_icc"
	optNoGateway = "com.docker.network.bridge.inhibit_ipv4"
)

type sharedState struct {
	mu sync.Mutex
	id string
}

// ensureShared makes the network for trials of one container, a way out but no traffic between containers, and returns its id. It asks the engine once
// per process.
func (e *Engine) ensureShared(ctx context.Context) (string, error) {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	if e.shared.id != "" {
		return e.shared.id, nil
	}
	labels := map[string]string{LabelCache: "network"}
	id, err := e.networkNamed(ctx, sharedNetwork, labels)
	if err == nil && id == "" {
		unlock, lerr := lock.Hold(ctx, nil, "shared-network", e.host.Address)
		if lerr != nil {
			return "", fmt.Errorf("wait for another process that makes the shared network: %w", lerr)
		}
		defer unlock()
		if id, err = e.networkNamed(ctx, sharedNetwork, labels); err == nil && id == "" {
			id, _, err = e.createNetwork(ctx, sharedNetwork, sharedBits, network.CreateOptions{Labels: labels, Options: map[string]string{optNoICC: "false"}})
		}
	}
	if err != nil {
		return "", fmt.Errorf("the shared network %s: %w", sharedNetwork, err)
	}
	e.shared.id = id
	return id, nil
}

// createNetwork makes a bridge and returns its id and its subnet. Unless opt names its subnet, one of the given size is taken from the pool, trying until one is free.
func (e *Engine) createNetwork(ctx context.Context, name string, bits int, opt network.CreateOptions) (string, netip.Prefix, error) {
	pool, err := e.pool()
	if err != nil {
		return "", netip.Prefix{}, err
	}
	opt.Driver = "bridge"
	if opt.IPAM != nil { // the task wants a certain one
		id, _, err := e.makeNetwork(ctx, &[]string{name}, opt)
		if err != nil {
			return "", netip.Prefix{}, fmt.Errorf("create network %s with subnet %s: %w", name, opt.IPAM.Config[0].Subnet, err)
		}
		sub, err := netip.ParsePrefix(opt.IPAM.Config[0].Subnet)
		if err != nil {
			return "", netip.Prefix{}, fmt.Errorf("network %s: %w", name, err)
		}
		return id, sub, nil
	}
	taken := e.hostNetworks()
	tried := 0
	names := []string{name}
	for _, sub := range candidates(pool, bits, poolLook, rand.Uint32()) {
		if overlapsAny(sub, taken) {
			continue
		}
		if tried++; tried > poolTries {
			break
		}
		opt.IPAM = &network.IPAM{Driver: "default", Config: []network.IPAMConfig{{Subnet: sub.String()}}}
		var id, subnet string
		if id, subnet, err = e.makeNetwork(ctx, &names, opt); err == nil {
			if sub, err = netip.ParsePrefix(subnet); err != nil { // of the one that was made before, it may be
				return "", sub, fmt.Errorf("network %s: %w", name, err)
			}
			return id, sub, nil
		}
		if len(names) > callTries {
			return "", netip.Prefix{}, fmt.Errorf("create network %s: the engine has answered none of %d requests: %w", name, len(names)-1, err)
		}
		if !errdefs.IsPermissionDenied(err) { // how engines say that a subnet is taken
			return "", netip.Prefix{}, fmt.Errorf("create network %s: %w", name, err)
		}
	}
	return "", netip.Prefix{}, &PoolError{Pool: pool.String(), Tried: min(tried, poolTries), Cause: err}
}

func (e *Engine) pool() (netip.Prefix, error) {
	text := e.host.Pool
	if text == "" {
		text = defaultPool
	}
	p, err := netip.ParsePrefix(text)
	if err != nil || !p.Addr().Is4() || p.Bits() > sharedBits {
		return netip.Prefix{}, &UnusableError{Host: e.host.Address, Source: poolVariable,
			Reason: fmt.Sprintf("%q is not an IPv4 network of /%d or larger", text, sharedBits), Cause: err}
	}
	return p.Masked(), nil
}

// candidates lists n subnets of the pool in an order that starts at a place chosen by seed, so that processes seldom try the same one.
// Large subnets are taken from the pool's end, so that the many small ones do not break them up.
func candidates(pool netip.Prefix, bits, n int, seed uint32) []netip.Prefix {
	total := uint32(1) << (bits - pool.Bits())
	if small := bits > sharedBits && pool.Bits() < sharedBits; small {
		total -= 1 << (bits - sharedBits) // where the shared network is
	}
	base, step := be32(pool.Addr()), stride(total)
	out := make([]netip.Prefix, 0, n)
	for i := range min(uint32(n), total) { //nolint:gosec // small positive number
		k := uint32((uint64(seed) + uint64(i)*uint64(step)) % uint64(total)) //nolint:gosec // below total
		if bits <= sharedBits {
			k = total - 1 - i
		}
		a := base + k<<(32-bits)
		out = append(out, netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(a >> 24), byte(a >> 16), byte(a >> 8), byte(a)}), bits))
	}
	return out
}

// stride is how far apart the candidates are that follow one another: far, since what takes one subnet may be large and take its neighbours too, and without a
// factor in common with their number, so that all have their turn.
func stride(total uint32) uint32 {
	gcd := func(a, b uint32) uint32 {
		for b > 0 {
			a, b = b, a%b
		}
		return a
	}
	s := total*5/8 + 1
	for gcd(s, total) != 1 {
		s++
	}
	return s
}

func be32(a netip.Addr) uint32 {
	b := a.As4()
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// hostNetworks lists what this machine's interfaces use already, since the engine does not look when a subnet is explicit.
func (e *Engine) hostNetworks() []netip.Prefix {
	if !e.host.Local() {
		return nil
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var out []netip.Prefix
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p.Masked())
		}
	}
	return out
}

func overlapsAny(p netip.Prefix, taken []netip.Prefix) bool {
	return slices.ContainsFunc(taken, p.Overlaps)
}
