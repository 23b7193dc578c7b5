package sidecar

import (
	"context"
	"errors"
	"time"
)

// errQuiet ends the context of a request on which the engine was silent for too long.
var errQuiet = errors.New("no answer")

// silence ends a context when nothing has been fed to it for a while.
type silence struct {
	ctx    context.Context //nolint:containedctx // it is the context that is derived, not one that is kept
	cancel context.CancelCauseFunc
	limit  time.Duration
	timer  *time.Timer
}

func watchSilence(ctx context.Context, limit time.Duration) *silence {
	ctx, cancel := context.WithCancelCause(ctx)
	return &silence{ctx: ctx, cancel: cancel, limit: limit, timer: later(limit, func() { cancel(errQuiet) })}
}

// feed says that something has come.
func (s *silence) feed() {
	if s.timer.Stop() {
		s.timer.Reset(s.limit)
	}
}

// rest ends the watch and leaves the context.
func (s *silence) rest() { s.timer.Stop() }

// stop ends both.
func (s *silence) stop() {
	s.timer.Stop()
	s.cancel(nil)
}

// explain turns a failed request's error into a *CallError, unless it was the caller who gave up.
func (s *silence) explain(caller context.Context, c call, err error) error {
	return s.named(caller.Err(), c, err)
}

func (s *silence) named(gaveUp error, c call, err error) error {
	switch {
	case gaveUp != nil:
		return err
	case errors.Is(context.Cause(s.ctx), errQuiet):
		return &CallError{Call: c.name, Limit: s.limit, Tries: 1}
	}
	return &CallError{Call: c.name, Tries: 1, Cause: err}
}
