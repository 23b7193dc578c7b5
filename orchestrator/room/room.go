// Package room hands out the room of a machine to trials: how many may be under way, and how many processors and how much memory they may have been promised
// together.
package room

import (
	"context"
	"slices"
	"sync"
)

// Need is what one trial asks for. The zero value asks for a place alone.
type Need struct {
	CPUs   float64
	Memory int64 // bytes
}

// Room is what there is. 0 = no bound.
type Room struct {
	Places int
	CPUs   float64
	Memory int64 // bytes
}

// patience is how often a trial that does not fit may be overtaken by ones that do, for each place that there is. Then the others wait for it.
const patience = 2

// Hall admits trials in the order in which they come. One that does not fit is overtaken by those that do, so that no place is idle, and after a few of those the
// others wait for it, so that it does not starve. One that would never fit is admitted alone.
type Hall struct {
	mu      sync.Mutex
	all     Room
	used    Room
	waiting []*guest
}

type guest struct {
	need      Need
	overtaken int
	admitted  chan struct{}
}

// New is a hall of this size. At least one place is in it.
func New(all Room) *Hall {
	all.Places = max(1, all.Places)
	return &Hall{all: all}
}

// Enter waits for room. The function that it returns gives it back, once, however often it is called. The error is the cause of ctx's end.
func (h *Hall) Enter(ctx context.Context, n Need) (leave func(), err error) {
	g := &guest{need: h.within(n), admitted: make(chan struct{})}
	h.mu.Lock()
	h.waiting = append(h.waiting, g)
	h.admit()
	h.mu.Unlock()
	leave = sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.take(g.need, -1)
		h.admit()
	})
	select {
	case <-g.admitted:
		return leave, nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	i := slices.Index(h.waiting, g)
	if i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
		h.admit() // it may have been the one that others waited for
	}
	h.mu.Unlock()
	if i < 0 {
		leave() // it was admitted at the same moment
	}
	return nil, context.Cause(ctx)
}

// within cuts a need down to what there is.
func (h *Hall) within(n Need) Need {
	if h.all.CPUs > 0 {
		n.CPUs = min(n.CPUs, h.all.CPUs)
	}
	if h.all.Memory > 0 {
		n.Memory = min(n.Memory, h.all.Memory)
	}
	return n
}

// admit lets in whoever fits.
func (h *Hall) admit() {
	for i := 0; i < len(h.waiting); {
		g := h.waiting[i]
		if h.fits(g.need) {
			h.take(g.need, 1)
			h.waiting = slices.Delete(h.waiting, i, i+1)
			close(g.admitted)
			for _, before := range h.waiting[:i] {
				before.overtaken++
			}
			continue
		}
		if h.used.Places < h.all.Places && g.overtaken >= patience*h.all.Places {
			return
		}
		i++
	}
}

func (h *Hall) fits(n Need) bool {
	const hair = 1e-9 // what adding up fractions of processors leaves
	return h.used.Places < h.all.Places &&
		(h.all.CPUs == 0 || h.used.CPUs+n.CPUs <= h.all.CPUs+hair) &&
		(h.all.Memory == 0 || h.used.Memory+n.Memory <= h.all.Memory)
}

func (h *Hall) take(n Need, sign int) {
	h.used.Places += sign
	h.used.CPUs += float64(sign) * n.CPUs
	h.used.Memory += int64(sign) * n.Memory
}
