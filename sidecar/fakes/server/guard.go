package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// The limits of the agent's plane.
const (
	// MaxBody is the largest request body in bytes.
	MaxBody = 8 << 20

	maxHeader     = 64 << 10
	headerTimeout = 10 * time.Second
	readTimeout   = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	writeTimeout  = 60 * time.Second
	maxConns      = 512
)

// guarded wraps a handler of the agent's plane: the body is bounded, a panic is a 500, and the answer is sent only when the
// faults that the world asked for are known.
func guarded(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, faults := withWire(r.Context())
		h := hold(w)
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		contain(log, h, func() { next.ServeHTTP(h, r) })
		status, body, passed := h.close()
		if passed {
			return
		}
		drop, cut, delay := faults.faults()
		conn := http.NewResponseController(w)
		if delay > 0 {
			_ = conn.SetReadDeadline(time.Time{}) // the request has been read; its limit would end the wait
		}
		if !wait(ctx, delay) {
			return
		}
		if drop {
			panic(http.ErrAbortHandler) // the standard way to close a connection without an answer
		}
		_ = conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		send(w, h.header, status, body, cut)
	})
}

// contain runs f; a panic is logged and answered as a fault of the server.
func contain(log *slog.Logger, w http.ResponseWriter, f func()) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("a request made the fake panic", "panic", p, "stack", string(debug.Stack()))
			writeProblem(w, http.StatusInternalServerError, "internal error of the fake")
		}
	}()
	f()
}

// ask hands c to the world. A panic inside becomes a violation, since it is the fake that broke, not its caller.
func (s *Server) ask(ctx context.Context, c world.Call) (a world.Answer) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a call made the fake panic", "server", c.Server, "tool", c.Tool, "panic", p, "stack", string(debug.Stack()))
			a = world.Answer{Outcome: world.OutcomeViolation, Status: http.StatusInternalServerError, Code: codeInternal, Message: "Internal error",
				Text: `{"error":"Internal error"}`}
		}
	}()
	a = s.world.Do(ctx, c)
	suffer(ctx, a)
	s.observe(c, a)
	return a
}
