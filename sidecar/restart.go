package sidecar

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
)

// Restart kills everything in a service's container and starts it again; its file system and volumes stay. It is what remains when processes
// in it cannot be ended one by one. The stack is not lost by it.
func (s *Stack) Restart(ctx context.Context, service string) error {
	s.expect(service, true)
	defer s.expect(service, false)
	id := s.ID(service)
	if err := s.eng.api.ContainerKill(ctx, id, "KILL"); err != nil && !errdefs.IsConflict(err) && !errdefs.IsNotFound(err) {
		return fmt.Errorf("kill service %s: %w", service, err)
	}
	if err := s.stopped(ctx, id); err != nil {
		return fmt.Errorf("wait for the end of service %s: %w", service, err)
	}
	if err := s.beginAgain(ctx, id); err != nil {
		return fmt.Errorf("start service %s again: %w", service, err)
	}
	return nil
}

// Signal sends a signal to the first process of a service's container, which the helper hands on to the service's own. It costs much less than a command.
func (s *Stack) Signal(ctx context.Context, service, signal string) error {
	ctx, cancel := s.With(ctx)
	defer cancel()
	if err := s.eng.api.ContainerKill(ctx, s.ID(service), signal); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("send %s to service %s: %w", signal, service, err)
	}
	return nil
}

// stopped waits until a container that was killed has ended.
func (s *Stack) stopped(ctx context.Context, id string) error {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		st, err := s.eng.api.ContainerInspect(ctx, id)
		if err != nil {
			return fmt.Errorf("look at it: %w", err)
		}
		if !st.State.Running {
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// Revive starts a service's container that died, so that what it left can be graded; the stack counts as whole again.
func (s *Stack) Revive(ctx context.Context, service string) error {
	s.mu.Lock()
	s.cause, s.lost = nil, make(chan struct{})
	s.mu.Unlock()
	return s.Restart(ctx, service)
}

// Pause freezes every container of the stack, so that a kept one stays as it is.
func (s *Stack) Pause(ctx context.Context) error {
	var t tear
	for i := range s.spec.Services {
		if id := s.ID(s.spec.Services[i].Name); id != "" {
			t.add(s.eng.pauseOne(ctx, s.spec.Services[i].Name, id))
		}
	}
	return t.join()
}

func (s *Stack) expect(service string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.expected == nil {
		s.expected = map[string]bool{}
	}
	s.expected[service] = on
}

// restarting says whether the death of a service is our own doing.
func (s *Stack) restarting(service string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.expected[service]
}

// Unpause lets the containers go on that Pause has frozen.
func (s *Stack) Unpause(ctx context.Context) error {
	var t tear
	for i := range s.spec.Services {
		if id := s.ID(s.spec.Services[i].Name); id != "" {
			t.add(s.eng.unpauseOne(ctx, s.spec.Services[i].Name, id))
		}
	}
	return t.join()
}

// pauseOne freezes a container. One that is frozen, has ended or is gone stays as it is.
func (e *Engine) pauseOne(ctx context.Context, service, id string) error {
	if err := e.api.ContainerPause(ctx, id); err != nil && !errdefs.IsConflict(err) && !errdefs.IsNotFound(err) && !strings.Contains(err.Error(), "is already paused") {
		return fmt.Errorf("pause service %s: %w", service, err)
	}
	return nil
}

// unpauseOne lets a container go on. One that is not frozen stays as it is.
func (e *Engine) unpauseOne(ctx context.Context, service, id string) error {
	if err := e.api.ContainerUnpause(ctx, id); err != nil && !errdefs.IsConflict(err) && !errdefs.IsNotFound(err) && !strings.Contains(err.Error(), "is not paused") { // which 20.10 says as a failure of its own
		return fmt.Errorf("let service %s go on: %w", service, err)
	}
	return nil
}
