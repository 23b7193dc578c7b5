package sidecar

import (
	"context"
	"time"
)

// pause waits for d or for the end of ctx, whose cause it returns. With the functions below it is this package's only use of timers.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// within bounds a step of the package's own by d.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// withinCause is within, with a cause for the end of the time.
func withinCause(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, cause)
}

// lingering derives a context that ends a while after its parent does.
func lingering(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			cancel(context.Cause(ctx))
		case <-own.Done():
		}
	})
	return own, func() { stop(); cancel(nil) }
}

// later calls fn in a goroutine of its own after d, unless the timer is stopped.
func later(d time.Duration, fn func()) *time.Timer { return time.AfterFunc(d, fn) }
