package server

import (
	"context"
	"sync"
	"time"

	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// The faults that a world may ask of the wire.
const (
	faultDelay     = "delay"
	faultDrop      = "drop"
	faultMalformed = "malformed"
)

// maxDelay bounds a scripted delay, so that a typing error does not outlive the trial.
const maxDelay = 10 * time.Minute

// wire is what one HTTP request has been told to suffer. A batch of calls gathers the faults of all of them.
type wire struct {
	mu    sync.Mutex
	drop  bool
	cut   bool
	delay time.Duration
}

type wireKey struct{}

func withWire(ctx context.Context) (context.Context, *wire) {
	w := new(wire)
	return context.WithValue(ctx, wireKey{}, w), w
}

// suffer notes a's fault for the request of ctx.
func suffer(ctx context.Context, a world.Answer) {
	w, ok := ctx.Value(wireKey{}).(*wire)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch a.Fault {
	case faultDrop:
		w.drop = true
	case faultMalformed:
		w.cut = true
	}
	if a.DelayMS > 0 {
		w.delay = min(max(w.delay, time.Duration(min(a.DelayMS, maxDelay.Milliseconds()))*time.Millisecond), maxDelay)
	}
}

func (w *wire) faults() (drop, cut bool, delay time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.drop, w.cut, w.delay
}

// wait sleeps for d, or until the client has gone; it reports whether d has passed.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
