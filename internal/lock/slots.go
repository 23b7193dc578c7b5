package lock

import (
	"context"
	"os"
	"strconv"
	"sync"
	"time"
)

// Slots are n places on this host, numbered from 0, that the processes of one user
// share: each is had by one holder at a time. A process that dies gives its own
// back at once. Processes with another n share the places that both have. Where
// files cannot be locked, every process has all of them to itself.
type Slots struct {
	n     int
	host  string
	queue chan struct{} // one of this process waits for all, in the order in which they came
	// polite is when this process may try again, after it has waited: others look only
	// now and then whether it is their turn. Whoever is in front of the queue has it.
	polite time.Time
}

// NewSlots has n places, at least one.
func NewSlots(n int) *Slots {
	host, err := os.Hostname() // homes are shared between hosts
	if err != nil {
		host = "unknown"
	}
	return &Slots{n: max(1, n), host: host, queue: make(chan struct{}, 1)}
}

// Take waits for a place. The function that it returns gives it back, once, however
// often it is called. waiting is called once if there is none for now; nil is fine.
// One process waits at a time and the others for their turn, so that none which gives
// places back and takes them anew keeps the others out. It fails with the context's
// cause, at once when that ends, or an error of the file system.
func (s *Slots) Take(ctx context.Context, waiting func()) (release func(), err error) {
	select {
	case s.queue <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.queue }()
	tell := sync.OnceFunc(func() {
		if waiting != nil {
			waiting()
		}
	})
	door, err := place("locks", "slots", s.host)
	if err != nil {
		return nil, err
	}
	turn, err := await(ctx, tell, func() (func(), error) {
		if time.Now().Before(s.polite) {
			return nil, nil
		}
		return try(door)
	})
	if err != nil {
		return nil, err
	}
	defer turn()
	var paths []string
	for i := range s.n {
		path, err := place("locks", "slot", s.host, strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	waited := false
	release, err = await(ctx, func() { waited = true; tell() }, func() (func(), error) { return oneOf(paths) })
	if waited {
		s.polite = time.Now().Add(2 * pollEvery)
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(release), nil
}

// oneOf takes the first of some locks that is free; a nil release says that none is.
func oneOf(paths []string) (release func(), err error) {
	for _, p := range paths {
		if release, err = try(p); err != nil || release != nil {
			return release, err
		}
	}
	return nil, nil
}
