package sidecar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/seatrial/seatrial/sidecar/egress"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// startAll starts every service as soon as its dependencies allow, and waits for health checks.
func (s *Stack) startAll(ctx context.Context) error {
	ctx, cancel := s.With(ctx)
	defer cancel()
	started := map[string]chan struct{}{}
	for i := range s.spec.Services {
		started[s.spec.Services[i].Name] = make(chan struct{})
	}
	g, gctx := errgroup.WithContext(ctx)
	for i := range s.spec.Services {
		svc := &s.spec.Services[i]
		g.Go(func() error {
			if err := s.upload(gctx, svc); err != nil {
				return err
			}
			if err := s.await(gctx, svc, started); err != nil {
				return err
			}
			if err := s.awaitGateway(gctx, svc, started); err != nil {
				return err
			}
			if err := s.start(gctx, svc); err != nil {
				return err
			}
			close(started[svc.Name])
			if s.checked(svc.Name) {
				return s.awaitHealthy(gctx, svc.Name)
			}
			return nil
		})
	}
	err := g.Wait()
	if cause := s.Cause(); cause != nil && !errors.As(err, new(*DeadError)) {
		return cause
	}
	return err //nolint:wrapcheck // its parts are typed
}

// awaitGateway lets a service that runs something of its own find names from its start.
func (s *Stack) awaitGateway(ctx context.Context, svc *stack.Service, started map[string]chan struct{}) error {
	if !s.place.answers(svc) || svc.Name == stack.Main && len(s.images[svc.Name].Entrypoint)+len(svc.Entrypoint)+len(svc.Command) == 0 {
		return nil
	}
	select {
	case <-started[s.place.gateway]:
	case <-ctx.Done():
		return fmt.Errorf("wait for the gateway: %w", context.Cause(ctx))
	}
	for {
		ready, err := s.Exists(ctx, s.place.gateway, egress.Ready)
		if err != nil || ready {
			return err
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("wait for the gateway: %w", err)
		}
	}
}

// await waits until the dependencies of svc are as it wants them.
func (s *Stack) await(ctx context.Context, svc *stack.Service, started map[string]chan struct{}) error {
	deps := slices.Clone(svc.DependsOn)
	if owner, ok := joins(svc); ok {
		deps = append(deps, stack.Dependency{Service: owner, Condition: stack.Started, Required: true})
	}
	for _, d := range deps {
		ch, known := started[d.Service]
		if !known {
			continue // an optional one that is not in the stack
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return fmt.Errorf("wait for service %s: %w", d.Service, context.Cause(ctx))
		}
		var err error
		switch d.Condition {
		case stack.Healthy:
			err = s.awaitHealthy(ctx, d.Service)
		case stack.Completed:
			err = s.awaitCompleted(ctx, d.Service)
		case stack.Started:
		}
		if err != nil && d.Required {
			return err
		}
	}
	return nil
}

func (s *Stack) start(ctx context.Context, svc *stack.Service) error {
	id := s.ID(svc.Name)
	err := s.begin(ctx, id)
	if err != nil && ctx.Err() == nil && (!Passing(err) || errdefs.IsInternal(err)) && (svc.Name == stack.Main || svc.Init) {
		// The helper's volume is filled once per engine; that it was not is found out here, so that it costs nothing otherwise.
		// Another process may have filled it since, so a second try is due either way. Podman's word for it is an internal error.
		if ferr := s.eng.fillHelper(ctx, id, s.place.helper); ferr != nil {
			return ferr
		}
		err = s.begin(ctx, id)
	}
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("start service %s: %w", svc.Name, context.Cause(ctx))
		}
		if Passing(err) {
			return fmt.Errorf("start service %s: %w", svc.Name, err)
		}
		return &DeadError{Service: svc.Name, Why: "not_started", Cause: noGPUs(svc, err)}
	}
	return nil
}

// noGPUs says in clear words what the engine's "could not select device driver" means (its daemon/devices.go).
func noGPUs(svc *stack.Service, err error) error {
	if svc.GPUs == 0 || !strings.Contains(err.Error(), "could not select device driver") {
		return err
	}
	want := fmt.Sprintf("%d GPUs", svc.GPUs)
	if svc.GPUs < 0 {
		want = "all GPUs"
	}
	return fmt.Errorf("it asks for %s, and the engine offers none: run it where the engine has a GPU runtime, such as NVIDIA's container toolkit (%w)", want, err)
}

// awaitHealthy waits until the engine calls the service healthy. The watch ends ctx when it turns unhealthy or dies.
func (s *Stack) awaitHealthy(ctx context.Context, name string) error {
	for {
		state, err := s.eng.api.ContainerInspect(ctx, s.ID(name))
		if err != nil {
			return s.waiting(ctx, name, err)
		}
		switch h := state.State.Health; {
		case h == nil && state.State.Running:
			return nil // the image's or the file's check is disabled
		case h != nil && h.Status == container.Healthy:
			return nil
		case h != nil && h.Status == container.Unhealthy, !state.State.Running:
			return s.dead(ctx, name)
		}
		if err := s.watch.wait(ctx, s.ID(name), time.Second); err != nil {
			return s.waiting(ctx, name, err)
		}
	}
}

// awaitCompleted waits until a one-shot service has exited with 0.
func (s *Stack) awaitCompleted(ctx context.Context, name string) error {
	for {
		state, err := s.eng.api.ContainerInspect(ctx, s.ID(name))
		if err != nil {
			return s.waiting(ctx, name, err)
		}
		if st := state.State; !st.Running && st.Status != container.StateCreated {
			if st.ExitCode == 0 {
				return nil
			}
			return s.dead(ctx, name)
		}
		if err := s.watch.wait(ctx, s.ID(name), time.Second); err != nil {
			return s.waiting(ctx, name, err)
		}
	}
}

// waiting turns the end of ctx into a *DeadError that says what the service was doing.
func (s *Stack) waiting(ctx context.Context, name string, err error) error {
	var dead *DeadError
	if cause := context.Cause(ctx); ctx.Err() != nil {
		if errors.As(cause, &dead) {
			return dead
		}
		if errors.Is(cause, context.Canceled) {
			return fmt.Errorf("wait for service %s: %w", name, cause)
		}
		d := s.examine(context.WithoutCancel(ctx), name)
		if d.unseen { // the engine does not say how it is, so that nothing can be held against the service
			return fmt.Errorf("wait for service %s: %w", name, cause)
		}
		d.Why, d.Cause = "not_ready", cause
		d.Limit = time.Since(s.started).Round(100 * time.Millisecond)
		return d
	}
	return fmt.Errorf("look at service %s: %w", name, err)
}

// tear collects several errors of parallel work without losing the typed one.
type tear struct {
	mu  sync.Mutex
	all []error
}

func (t *tear) add(err error) {
	if err == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, err)
}

func (t *tear) join() error { return errors.Join(t.all...) }
