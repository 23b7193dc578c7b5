package sidecar

import (
	"context"
	"sync/atomic"
)

// Tally counts the requests of one piece of work beside others.
type Tally struct{ calls, retries atomic.Int64 }

// Calls counts the requests so far; an exec's attached stream counts once.
func (t *Tally) Calls() int64 { return t.calls.Load() }

// Retries counts the requests among them that were made again.
func (t *Tally) Retries() int64 { return t.retries.Load() }

type tallyKey struct{}

// Counted is a context of which every request to an engine is counted in t as well.
func Counted(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// retried counts a request that the engine is sent again.
func (e *Engine) retried(ctx context.Context) {
	e.counts.retries.Add(1)
	tallied(ctx, true)
}

// tallied counts a request where its context says.
func tallied(ctx context.Context, again bool) {
	t, ok := ctx.Value(tallyKey{}).(*Tally)
	switch {
	case !ok:
	case again:
		t.retries.Add(1)
	default:
		t.calls.Add(1)
	}
}
