package sidecar

import (
	"context"
	"net"
	"net/netip"

	"github.com/docker/docker/api/types/network"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// What the tests of the pure parts reach into.
var (
	ObjectName = objectName
	Candidates = candidates
	Overlaps   = overlapsAny
	Older      = older
	Merged     = merged
	StartTime  = startTime
)

// Blueprint is a container in the engine's terms.
type Blueprint = blueprint

// Parts are a blueprint's parts for people: name, configuration, host configuration, first network, others, platform.
func (b blueprint) Parts() []any {
	return []any{b.name, b.config, b.host, b.first, b.others, b.platform}
}

// Draft places a stack and drafts one service of it, as Up does.
func Draft(spec *stack.Spec, service string, img Image, scope Scope, api string) Blueprint {
	return draft(Find(spec, service), img, scope, place(spec, scope, api, "0123456789abcdef"))
}

// Matches says whether a selector chooses an object with these labels.
func (s Selector) Matches(labels map[string]string) bool { return s.matches(labels) }

// Query is the selector's filter as the engine gets it.
func (s Selector) Query() []string { return s.filter().Get("label") }

// Labels are what an object of the scope bears.
func (s Scope) Labels(extra ...string) map[string]string { return s.labels(extra...) }

// PoolOf is the network pool of an engine at host.
func PoolOf(h Host) (netip.Prefix, error) { return (&Engine{host: h}).pool() }

// MakeNetwork makes a network for a stack.
func (e *Engine) MakeNetwork(ctx context.Context, name string, labels map[string]string) (id string, err error) {
	id, _, err = e.createNetwork(ctx, name, stackBits, network.CreateOptions{Labels: labels})
	return id, err
}

// Upgrade asks for a stream.
func Upgrade(ctx context.Context, e *Engine, path string) (net.Conn, error) {
	return e.upgrade(ctx, path, "tcp", nil, nil)
}
