package sidecar

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"

	"github.com/seatrial/seatrial/sidecar/stack"
)

// Watch follows what happens to the containers of one run, over one connection, and tells the stacks. It is safe for concurrent use.
type Watch struct {
	eng    *Engine
	run    string
	mu     sync.Mutex
	stacks map[string]*Stack          // by trial
	wake   map[string][]chan struct{} // by container id
	done   chan struct{}
}

// Watch begins to follow a run's containers until ctx ends; Close waits for that. A broken connection is opened again, from the moment it broke.
func (e *Engine) Watch(ctx context.Context, run string) (*Watch, func()) {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watch{eng: e, run: run, stacks: map[string]*Stack{}, wake: map[string][]chan struct{}{}, done: make(chan struct{})}
	go w.follow(ctx)
	return w, func() { cancel(); <-w.done }
}

func (w *Watch) follow(ctx context.Context) {
	defer close(w.done)
	since := time.Now()
	for ctx.Err() == nil {
		opt := events.ListOptions{Since: stamp(since), Filters: filters.NewArgs(
			filters.Arg("type", "container"), filters.Arg("label", LabelRun+"="+w.run),
			filters.Arg("event", "die"), filters.Arg("event", "health_status"))}
		since = w.read(ctx, opt, since)
		w.wakeAll() // whoever waits looks for itself after a gap
		if pause(ctx, 200*time.Millisecond) != nil {
			return
		}
	}
}

// read follows one connection to its end and returns the time of the last event seen.
func (w *Watch) read(ctx context.Context, opt events.ListOptions, since time.Time) time.Time {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	msgs, errs := w.eng.api.Events(ctx, opt)
	for {
		select {
		case m := <-msgs:
			since = time.Unix(0, m.TimeNano+1)
			w.tell(ctx, m)
		case <-errs:
			return since
		}
	}
}

func stamp(t time.Time) string {
	return strconv.FormatInt(t.Unix(), 10) + "." + leftPad(strconv.Itoa(t.Nanosecond()), 9)
}

func leftPad(s string, n int) string { return strings.Repeat("0", max(0, n-len(s))) + s }

// tell wakes whoever waits for the container and marks its stack as lost when a needed service is gone.
func (w *Watch) tell(ctx context.Context, m events.Message) {
	w.mu.Lock()
	st := w.stacks[m.Actor.Attributes[LabelTrial]]
	waiters := w.wake[m.Actor.ID]
	delete(w.wake, m.Actor.ID)
	w.mu.Unlock()
	for _, c := range waiters {
		close(c)
	}
	if st == nil {
		return
	}
	name := m.Actor.Attributes[LabelService]
	switch {
	case m.Action == events.ActionHealthStatusUnhealthy && st.unhealthyMatters(name):
	case m.Action == events.ActionDie && (m.Actor.Attributes["exitCode"] != "0" || st.daemon(name)) && !st.restarting(name):
	default:
		return
	}
	go func() { _ = st.dead(ctx, name) }()
}

// unhealthyMatters: the agent may break the health of its own container; that is its business, and the verifier's.
func (s *Stack) unhealthyMatters(name string) bool { return name != stack.Main }

func (w *Watch) add(s *Stack) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stacks[s.scope.Trial] = s
}

func (w *Watch) remove(s *Stack) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.stacks, s.scope.Trial)
}

// wait returns at the container's next event, after at most d, or with the cause of ctx's end.
func (w *Watch) wait(ctx context.Context, id string, d time.Duration) error {
	c := make(chan struct{})
	w.mu.Lock()
	w.wake[id] = append(w.wake[id], c)
	w.mu.Unlock()
	ctx2, cancel := within(ctx, d)
	defer cancel()
	select {
	case <-c:
	case <-ctx2.Done():
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (w *Watch) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, cs := range w.wake {
		for _, c := range cs {
			close(c)
		}
		delete(w.wake, id)
	}
}
