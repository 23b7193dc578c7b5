package orchestrator

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// errand is one trial that is to be carried out, maybe once more.
type errand struct {
	job   Job
	tries []Try     // earlier ones
	due   time.Time // not before; zero = at once
}

// queue has the errands of a run. Workers take them in order; one that is put back is due later, and holds no place until then.
type queue struct {
	mu      sync.Mutex
	ready   []*errand
	later   []*errand
	under   int // taken, and neither done nor put back
	stopped string
	changed chan struct{} // closed when anything of these changes
	halted  chan struct{} // closed when the queue is stopped
}

func newQueue(ready []*errand) *queue {
	return &queue{ready: ready, changed: make(chan struct{}), halted: make(chan struct{})}
}

// errHalted ends the wait of what was handed out and has not been started.
var errHalted = errors.New("nothing more is started")

// starting is a context that ends with ctx, when the queue is stopped, and at the deadline (zero = none): whatever is not started by then is not.
func (q *queue) starting(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() {}
	if !deadline.IsZero() {
		ctx, stop = context.WithDeadlineCause(ctx, deadline, errHalted)
	}
	go func() {
		select {
		case <-q.halted:
			cancel(errHalted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { stop(); cancel(nil) }
}

// next waits for an errand. There is none any more when the queue was stopped, when ctx has ended, or when all is done.
func (q *queue) next(ctx context.Context) (*errand, bool) {
	for {
		e, wait, changed := q.take(time.Now())
		switch {
		case e != nil:
			return e, true
		case wait == 0 || ctx.Err() != nil:
			return nil, false
		}
		q.await(ctx, wait, changed)
	}
}

// take hands out an errand that is due. Without one, it says how long to wait for the next at most; 0 = there will be none.
func (q *queue) take(now time.Time) (e *errand, wait time.Duration, changed chan struct{}) {
	const long = time.Hour
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped != "" {
		return nil, 0, nil
	}
	wait = long
	for i, l := range q.later {
		if !l.due.After(now) {
			q.later = slices.Delete(q.later, i, i+1)
			q.under++
			return l, 0, nil
		}
		wait = min(wait, l.due.Sub(now))
	}
	if len(q.ready) > 0 {
		e, q.ready = q.ready[0], q.ready[1:]
		q.under++
		return e, 0, nil
	}
	if len(q.later) == 0 && q.under == 0 {
		return nil, 0, nil
	}
	return nil, wait, q.changed
}

// await waits until the queue has changed, and for d at most.
func (q *queue) await(ctx context.Context, d time.Duration, changed <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-changed:
			cancel()
		case <-ctx.Done():
		}
	}()
	_ = pause(ctx, d) // whatever ended it, the queue is looked at again
}

// done says that an errand is over.
func (q *queue) done() {
	q.change(func() { q.under-- })
}

// again puts an errand back.
func (q *queue) again(e *errand) {
	q.change(func() { q.under, q.later = q.under-1, append(q.later, e) })
}

// stop hands out no more errands; the first reason counts.
func (q *queue) stop(why string) {
	q.change(func() {
		if q.stopped == "" {
			q.stopped = why
			close(q.halted)
		}
	})
}

// why is the reason for which the queue was stopped, or empty.
func (q *queue) why() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stopped
}

func (q *queue) change(fn func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	fn()
	close(q.changed)
	q.changed = make(chan struct{})
}
