package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
	"github.com/seatrial/seatrial/orchestrator/room"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// need is what a trial asks of the machine: what its containers may use at most.
func (p *Plan) need() room.Need {
	n := specNeed(p.Spec)
	for i := range p.Steps {
		if g := p.Steps[i].Grader; g != nil { // it comes beside the agent's, which is frozen then
			n.Memory = max(n.Memory, specNeed(p.Spec).Memory+specNeed(g.Spec).Memory)
		}
	}
	return n
}

func specNeed(s *stack.Spec) room.Need {
	var n room.Need
	for i := range s.Services {
		n.CPUs += s.Services[i].CPUs
		n.Memory += s.Services[i].Memory
	}
	return n
}

// seats hand out room to the trials of a run.
type seats struct {
	builds, trials *room.Hall
	slots          *lock.Slots // of the host; nil = as many as one wants
	full           func()      // hears that other processes have them all
	// starting is a context for whatever waits for room: it ends when nothing more is to be started.
	starting func(context.Context) (context.Context, context.CancelFunc)
}

// seats are those of the session's run.
func (s *session) seats() *seats {
	b, in := &s.q.Batch, s.info
	all := room.Room{Places: max(1, b.Parallel)}
	if b.Overcommit > 0 {
		all.CPUs, all.Memory = float64(in.CPUs)*b.Overcommit, int64(float64(in.Memory)*b.Overcommit)
	}
	st := &seats{builds: room.New(room.Room{Places: cmp.Or(b.Builds, 2)}), trials: room.New(all)}
	if b.HostSlots > 0 {
		st.slots = lock.NewSlots(b.HostSlots)
		st.full = sync.OnceFunc(func() {
			s.emit(Event{Kind: OnNote, Time: time.Now(), Text: fmt.Sprintf("waiting for a slot of the host, which has %d", b.HostSlots)})
		})
	}
	return st
}

// enter waits for room for a trial, and then for a slot of the host. leave gives both back, once.
func (st *seats) enter(ctx context.Context, n room.Need) (leave func(), err error) {
	place, err := st.trials.Enter(ctx, n)
	if err != nil || st.slots == nil {
		return place, err
	}
	slot, err := st.slots.Take(ctx, st.full)
	if err != nil {
		place()
		return nil, err
	}
	return func() { slot(); place() }, nil
}

// imaged makes the images, for which there is room of its own ahead of the trials.
func (t *trial) imaged(ctx context.Context) bool {
	leave, ok := t.wait(ctx, func(ctx context.Context) (func(), error) { return t.seats.builds.Enter(ctx, room.Need{}) })
	defer leave()
	return ok && t.phase(ctx, PhaseBuild, t.build) && (!t.installs() || t.phase(ctx, PhaseInstall, t.install))
}

// seated waits for room on the machine. It is given back as soon as the trial's work is done, so that the next starts beside the teardown.
func (t *trial) seated(ctx context.Context) (ok bool) {
	t.leave, ok = t.wait(ctx, func(ctx context.Context) (func(), error) { return t.seats.enter(ctx, t.plan.need()) })
	if ok {
		t.among = t.crowd.enter(t.plan.Folder)
	}
	return ok
}

// wait waits for room. What it takes is no part of the trial's time. One that is called off meanwhile was never started: it is missing, and has no record.
func (t *trial) wait(ctx context.Context, enter func(context.Context) (func(), error)) (leave func(), ok bool) {
	if t.seats == nil {
		return func() {}, true
	}
	ctx, done := t.seats.starting(ctx)
	defer done()
	began := time.Now()
	leave, err := enter(ctx)
	t.queued += time.Since(began)
	if err != nil {
		t.rec.unstarted = ctx.Err() != nil // else the room could not be had at all
		t.fail(PhaseStart, &PhaseError{Phase: PhaseStart, Cause: err})
		return func() {}, false
	}
	return leave, true
}

// letGo lets others remove the trial's images.
func (t *trial) letGo() {
	for _, done := range t.done {
		done()
	}
}
