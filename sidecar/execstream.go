package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// overhearEvery is how often a command's state is looked up while its stream says nothing of its end.
const overhearEvery = time.Minute

// startExec starts a command, with a terminal if it was created with one, and returns its stream.
func (e *Engine) startExec(ctx context.Context, id string, tty bool) (net.Conn, error) {
	body, err := json.Marshal(map[string]bool{"Detach": false, "Tty": tty})
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	path := "/v" + e.api.ClientVersion() + "/exec/" + id + "/start"
	return e.upgrade(ctx, path, "tcp", http.Header{"Content-Type": {"application/json"}}, body)
}

// overhear closes the stream of a command that has ended although the stream does not say so: a connection can be dead in silence, and a command's
// own limit may be a day. The function that it returns ends it.
func (e *Engine) overhear(ctx context.Context, id string, in *counted, stream io.Closer) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	every := overhearEvery
	if e.host.CallLimit > 0 {
		every = min(every, e.host.CallLimit)
	}
	go func() {
		defer close(done)
		for ended, seen := false, int64(-1); pause(ctx, every) == nil; {
			ex, err := e.api.ContainerExecInspect(ctx, id)
			if n := in.n.Load(); err == nil && !ex.Running && ended && n == seen {
				_ = stream.Close()
				return
			}
			ended, seen = err == nil && !ex.Running, in.n.Load()
		}
	}()
	return func() { cancel(); <-done }
}

// streamLost says of a helper's exit code that the helper did its part and nobody heard it: 0 follows a report, EX_IOERR (sysexits(3)) says that
// its output was taken by nobody. A command that never began has 0, too.
func streamLost(code int) bool { return code == 0 || code == 74 }

// counted counts what is read.
type counted struct {
	r io.Reader
	n atomic.Int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err //nolint:wrapcheck // a reader hands errors on
}
