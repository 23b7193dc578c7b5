package faultproxy

import (
	"context"
	"time"
)

// closedContext is a context that ends when a channel is closed.
type closedContext struct{ done <-chan struct{} }

// Deadline implements context.Context.
func (closedContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (c closedContext) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c closedContext) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// Value implements context.Context.
func (closedContext) Value(any) any { return nil }
