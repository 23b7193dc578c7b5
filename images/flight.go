package images

import (
	"context"
	"sync"
	"time"
)

// partLimit is how long the last who leaves waits for the called-off work to end.
const partLimit = 15 * time.Second

// flight lets equal pieces of work at the same time be done once. The zero value
// is ready.
type flight[T any] struct {
	mu  sync.Mutex
	now map[string]*work[T]
}

type work[T any] struct {
	fan     fan
	waiting int
	cancel  context.CancelCauseFunc
	done    chan struct{}
	result  T // these two are set before done is closed
	err     error
}

// do runs the function under a key, or waits for the run that is under way. All
// get the one result or the one failure. A caller whose context ends gets its
// cause at once and the others' work goes on; when the last has left, the work is
// called off and waited for. The work does not see the callers' deadlines.
func (f *flight[T]) do(ctx context.Context, key string, e *ear, run func(context.Context, *fan) (T, error)) (T, error) {
	w := f.enter(ctx, key, e, run)
	defer w.fan.leave(e)
	select {
	case <-w.done:
		f.leave(key, w, nil)
		return w.result, w.err
	case <-ctx.Done():
	}
	if last := f.leave(key, w, context.Cause(ctx)); last {
		limit := time.NewTimer(partLimit)
		defer limit.Stop()
		select {
		case <-w.done:
		case <-limit.C:
		}
	}
	var none T
	return none, context.Cause(ctx)
}

func (f *flight[T]) enter(ctx context.Context, key string, e *ear, run func(context.Context, *fan) (T, error)) *work[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w := f.now[key]; w != nil {
		w.waiting++
		w.fan.join(e)
		w.fan.tellOne(e, Event{Kind: Waiting, Step: "the same work, which is under way"})
		return w
	}
	w := &work[T]{waiting: 1, done: make(chan struct{})}
	w.fan.join(e)
	if f.now == nil {
		f.now = map[string]*work[T]{}
	}
	f.now[key] = w
	// It outlives the one who started it if others wait for it, and ends with the
	// last of them.
	ctx, w.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	go func() {
		defer close(w.done)
		w.result, w.err = run(ctx, &w.fan)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.now[key] == w {
			delete(f.now, key)
		}
	}()
	return w
}

func (f *flight[T]) leave(key string, w *work[T], why error) (last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.waiting--
	if w.waiting > 0 {
		return false
	}
	if f.now[key] == w {
		delete(f.now, key) // who comes now starts anew
	}
	w.cancel(why)
	return true
}
