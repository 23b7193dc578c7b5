package sidecar

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/docker/docker/api/types/network"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// Stack is one trial's containers on the engine. It is safe for concurrent use.
type Stack struct {
	eng   *Engine
	spec  *stack.Spec
	scope Scope
	place placement

	mu      sync.Mutex
	ids     map[string]string // service -> container id
	images  map[string]Image
	started time.Time
	watch   *Watch
	lost    chan struct{}
	cause   error
	// expected names services that are being restarted: their death is our own doing.
	expected map[string]bool
}

// Up creates the stack's networks and containers and starts them in the order of their dependencies; it returns when every service that
// has a health check is healthy. On an error everything that was made is still there: Down removes it, by label. A service that
// cannot be started, dies or turns unhealthy meanwhile is a *DeadError; the end of ctx is its cause.
// watch must have been opened for the same run.
func (e *Engine) Up(ctx context.Context, spec *stack.Spec, images map[string]Image, scope Scope, watch *Watch) (*Stack, error) {
	info, err := e.Ping(ctx)
	if err != nil {
		return nil, err
	}
	helper, err := helperDigest(info.Arch)
	if err != nil {
		return nil, err
	}
	s := &Stack{eng: e, spec: spec, scope: scope, place: place(spec, scope, info.API, helper), ids: map[string]string{}, images: images,
		started: time.Now(), watch: watch, lost: make(chan struct{})}
	watch.add(s)
	if spec.Tools {
		sh, err := toolsShelf(info.Arch)
		if err != nil {
			return s, err
		}
		s.place.tools = &sh
	}
	if err := s.networks(ctx); err != nil {
		return s, err
	}
	if err := s.createAll(ctx, images); err != nil {
		return s, err
	}
	return s, s.startAll(ctx)
}

// networks makes the trial's own networks, or sees that the shared one is there.
func (s *Stack) networks(ctx context.Context) error {
	if s.place.lone {
		if main := Find(s.spec, stack.Main); main != nil && main.NetworkMode == "" {
			id, err := s.eng.ensureShared(ctx)
			s.place.shared = id
			return err
		}
		return nil
	}
	ids := make([]string, len(s.spec.Networks))
	subnets := make([]netip.Prefix, len(s.spec.Networks))
	g, gctx := errgroup.WithContext(ctx)
	for i, n := range s.spec.Networks {
		if n.External != "" {
			continue
		}
		if n.Shared {
			g.Go(func() (err error) {
				s.place.shared, err = s.eng.ensureShared(gctx)
				return err
			})
			continue
		}
		g.Go(func() (err error) {
			opt := network.CreateOptions{Internal: n.Internal, Labels: merged(n.Labels, s.scope.labels())}
			if n.Internal {
				opt.Options = map[string]string{optNoGateway: "true"}
			}
			if n.Subnet != "" {
				opt.IPAM = &network.IPAM{Config: []network.IPAMConfig{{Subnet: n.Subnet, Gateway: n.Gateway, IPRange: n.IPRange}}}
			}
			ids[i], subnets[i], err = s.eng.createNetwork(gctx, s.place.network(n.Name), stackBits, opt)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err //nolint:wrapcheck // createNetwork wraps
	}
	s.place.networks = map[string]string{}
	for i, n := range s.spec.Networks {
		s.place.networks[n.Name] = ids[i]
		if s.place.gateway != "" && n.Name == s.place.answered {
			s.place.gatewayAt = lastAddress(subnets[i]).String()
		}
	}
	return nil
}

// lastAddress is the last address of a network that a container may have. Engines give addresses from the first one on.
func lastAddress(p netip.Prefix) netip.Addr {
	a := p.Masked().Addr().As4()
	n := binary.BigEndian.Uint32(a[:]) | (1<<(32-p.Bits()) - 1)
	binary.BigEndian.PutUint32(a[:], n-1)
	return netip.AddrFrom4(a)
}

// createAll creates every container. One whose network is another service's comes after that one.
func (s *Stack) createAll(ctx context.Context, images map[string]Image) error {
	rest := make([]*stack.Service, 0, len(s.spec.Services))
	for i := range s.spec.Services {
		rest = append(rest, &s.spec.Services[i])
	}
	for len(rest) > 0 {
		var now, later []*stack.Service
		for _, svc := range rest {
			if owner, joined := joins(svc); joined && s.ID(owner) == "" {
				later = append(later, svc)
			} else {
				now = append(now, svc)
			}
		}
		if len(now) == 0 {
			return &DeadError{Service: later[0].Name, Why: "not_started", Cause: fmt.Errorf("network_mode %s: the services wait for each other", later[0].NetworkMode)}
		}
		g, gctx := errgroup.WithContext(ctx)
		for _, svc := range now {
			g.Go(func() error { return s.create(gctx, svc, images[svc.Name]) })
		}
		if err := g.Wait(); err != nil {
			return err //nolint:wrapcheck // create wraps
		}
		rest = later
	}
	return nil
}

func joins(svc *stack.Service) (string, bool) {
	const prefix = "service:"
	if len(svc.NetworkMode) > len(prefix) && svc.NetworkMode[:len(prefix)] == prefix {
		return svc.NetworkMode[len(prefix):], true
	}
	return "", false
}

func (s *Stack) create(ctx context.Context, svc *stack.Service, img Image) error {
	b := draft(svc, img, s.scope, s.place)
	fail := func(err error) error {
		if Passing(err) || ctx.Err() != nil {
			return fmt.Errorf("service %s: %w", svc.Name, err)
		}
		return &DeadError{Service: svc.Name, Why: "not_started", Cause: err}
	}
	id, err := s.made(ctx, b)
	if err != nil {
		return fail(fmt.Errorf("create: %w", err))
	}
	s.mu.Lock()
	s.ids[svc.Name] = id
	s.mu.Unlock()
	for name, ep := range b.others {
		if err := s.join(ctx, name, id, ep); err != nil {
			return fail(fmt.Errorf("join network %s: %w", name, err))
		}
	}
	return s.sameFiles(ctx, svc)
}

// ID is the container id of a service, or empty before it is created.
func (s *Stack) ID(service string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[service]
}

// Name is the container's name on the engine, for people.
func (s *Stack) Name(service string) string { return s.place.container(service) }

// Lost is closed when a service that is needed has died or turned unhealthy; Cause then says which.
func (s *Stack) Lost() <-chan struct{} { return s.lost }

// Cause is the *DeadError behind Lost, or nil.
func (s *Stack) Cause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

func (s *Stack) lose(err *DeadError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause == nil {
		s.cause = err
		close(s.lost)
	}
}

// With derives a context that ends when the stack is lost, with the *DeadError as its cause.
func (s *Stack) With(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	var once sync.Once
	go func() {
		select {
		case <-s.lost:
			cancel(s.Cause())
		case <-stop:
		case <-ctx.Done():
		}
	}()
	return ctx, func() { once.Do(func() { close(stop) }); cancel(nil) }
}

// Leave ends the watching of the stack; what happens to its containers from now on is expected.
func (s *Stack) Leave() { s.watch.remove(s) }

// daemon says whether a service is expected to stay: it has a health check, or somebody needs it healthy.
func (s *Stack) daemon(name string) bool {
	if name == stack.Main {
		return true
	}
	if s.checked(name) {
		return true
	}
	for i := range s.spec.Services {
		for _, d := range s.spec.Services[i].DependsOn {
			if d.Service == name && d.Condition == stack.Healthy {
				return true
			}
		}
	}
	return false
}

// checked says whether the engine checks a service's health, because the compose file or the image says so.
func (s *Stack) checked(name string) bool {
	svc := Find(s.spec, name)
	if svc == nil {
		return false
	}
	if svc.Healthcheck != nil {
		return !slices.Equal(svc.Healthcheck.Test, []string{"NONE"})
	}
	return s.images[name].Healthcheck
}

var errNoStack = errors.New("the stack has no such service")
