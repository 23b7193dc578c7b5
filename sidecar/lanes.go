package sidecar

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// leastAbreast is how many requests of one lane are under way at a time on the smallest machine.
const leastAbreast = 4

// lane is a kind of requests that keep the engine's processors busy. An engine that is given many at once finishes none of them soon: its own checks of services' health run late
// then, and what is asked for takes longer than anybody waits.
type lane int

const (
	freely   lane = iota // they cost little, or flow
	making               // of containers and networks
	removing             // likewise: what is stuck in one lane holds up nothing in the other
)

// laneOf knows what is dear.
func laneOf(method, kind, verb string) lane {
	switch {
	case method == http.MethodDelete && (kind == "containers" || kind == "networks"):
		return removing
	case method != http.MethodPost:
		return freely
	}
	switch kind + " " + verb {
	case "containers create", "containers start", "networks create", "networks connect":
		return making
	case "networks disconnect":
		return removing
	}
	return freely
}

// lanes let so many requests of a kind through at a time as suits the engine's machine, in the order in which they come.
type lanes struct {
	cpus atomic.Int64 // of the engine's machine; 0 = not known, and then this machine's count
	once sync.Once
	open map[lane]*semaphore.Weighted
}

// enter waits for a place, for as long as ctx lasts.
func (l *lanes) enter(ctx context.Context, in lane) (leave func(), err error) {
	if in == freely {
		return func() {}, nil
	}
	l.once.Do(func() {
		cpus := l.cpus.Load()
		if cpus == 0 {
			cpus = int64(runtime.NumCPU())
		}
		wide := max(leastAbreast, 2*cpus)
		l.open = map[lane]*semaphore.Weighted{making: semaphore.NewWeighted(wide), removing: semaphore.NewWeighted(wide)}
	})
	s := l.open[in]
	if err := s.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for other requests to the engine: %w", context.Cause(ctx))
	}
	return func() { s.Release(1) }, nil
}
