package images

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/containerd/errdefs"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// BrokenError says that the connection to the engine broke while it worked on an image. It says nothing about the image.
type BrokenError struct {
	Doing string // "the build of PATH", "the pull of REF"
	Cause error
}

// Error implements error.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("the engine broke off %s: %v", e.Doing, e.Cause)
}

// Unwrap returns the cause.
func (e *BrokenError) Unwrap() error { return e.Cause }

// What the engine broke off is tried this often, with pauses that triple. Builds and pulls go on from what is there.
const (
	brokenTries = 3
	brokenPause = 300 * time.Millisecond
)

// unbroken does something on the engine again while the connection breaks.
func unbroken(ctx context.Context, do func() error) error {
	wait := brokenPause
	for n := 1; ; n++ {
		err := do()
		if n == brokenTries || !errors.As(err, new(*BrokenError)) {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		wait *= 3
	}
}

// passing says of a raw connection's failure that it is not the engine's refusal.
func passing(err error) bool {
	return err != nil && !errdefs.IsNotFound(err) && !errdefs.IsInvalidArgument(err) && !errdefs.IsNotImplemented(err)
}

// link remembers the first failure of the raw connections of a build. BuildKit's own errors do not tell a broken connection from a broken build.
type link struct {
	mu    sync.Mutex
	first error
}

// watched hands on what a dial returned.
func (l *link) watched(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		l.note(err)
		return nil, err
	}
	return &linked{Conn: c, l: l}, nil
}

func (l *link) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == nil {
		l.first = err
	}
}

func (l *link) cause() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}

// givenUp says of a failure that nobody asked for that BuildKit's client has given up a connection on which nothing came any more. It closes that itself, so that no
// read on it fails (buildkit, session/grpc.go). The engine may be the first to see that the session with it is gone, and says so in its own failure's text. What a
// registry says is unavailable is a base image's trouble, and what has a line in the Dockerfile is the Dockerfile's, whatever it says; without one, it may be the sending of the
// Dockerfile that failed.
func givenUp(err error, found *BuildError) bool {
	c := status.Code(err)
	ours := found.Reason == OtherFailure || unread(found)
	return c == codes.Canceled || ours && (c == codes.Unavailable || tellsOf(err, codes.Unavailable, codes.Canceled))
}

// unread says that a Dockerfile could not be made use of, and not where in it.
func unread(found *BuildError) bool { return found.Reason == SyntaxFault && found.Line == 0 }

// tellsOf says whether an error's text holds that of another of gRPC with one of some codes, as it has when it passed through another process.
func tellsOf(err error, of ...codes.Code) bool {
	return err != nil && slices.ContainsFunc(of, func(c codes.Code) bool {
		return strings.Contains(err.Error(), "rpc error: code = "+c.String()+" desc = ")
	})
}

// linked is a raw connection.
type linked struct {
	net.Conn
	l      *link
	closed atomic.Bool
}

// Read implements io.Reader. What fails after Close is our own doing.
func (c *linked) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && !c.closed.Load() && !timedOut(err) {
		c.l.note(err)
	}
	return n, err //nolint:wrapcheck // handed on as it is
}

// timedOut: gRPC sets deadlines of its own on the connection.
func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// Close implements io.Closer.
func (c *linked) Close() error {
	c.closed.Store(true)
	return c.Conn.Close() //nolint:wrapcheck // handed on as it is
}
