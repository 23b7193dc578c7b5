package sidecar

import (
	"context"
	"errors"
	"io"
	"syscall"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/client"
)

// Passing says whether an error of a call to the engine is the engine's or the connection's trouble, so that the call may succeed when it is made
// again. What the engine refuses for a reason, what a service of the stack caused, and the end of a context are not.
func Passing(err error) bool {
	switch {
	case err == nil, errors.As(err, new(*DeadError)), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, new(*CallError)), client.IsErrConnectionFailed(err):
		return true
	case errdefs.IsInternal(err), errdefs.IsUnavailable(err), errdefs.IsResourceExhausted(err):
		return true
	}
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// Again does something on the engine that may be done twice until it works, fails for a reason of its own, or has been tried four times.
// retried hears of every further try.
func Again(ctx context.Context, retried func(), do func() error) error {
	wait := firstPause
	for n := 1; ; n++ {
		err := do()
		if n == callTries || ctx.Err() != nil || !Passing(err) {
			return err
		}
		if pause(ctx, wait) != nil {
			return err
		}
		wait *= 3
		retried()
	}
}
