package sidecar_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/seatrial/seatrial/sidecar"
)

// late gives a stream at the moment at which it is given up.
type late struct{ giveUp context.CancelCauseFunc }

func (l *late) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	done := make(chan struct{})
	go func() { l.giveUp(errEnough); close(done) }()
	_, _ = io.WriteString(c, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
	<-done
	_ = c.Close()
}

var errEnough = errors.New("that is enough")

func TestAStreamThatComesAsItIsGivenUpIsAnErrorOrAStream(t *testing.T) {
	t.Parallel()
	l := &late{}
	e := connect(t, serve(t, l))
	crossed := 0
	for range 3000 {
		ctx, cancel := context.WithCancelCause(t.Context())
		l.giveUp = cancel
		conn, err := sidecar.Upgrade(ctx, e, "/x")
		switch {
		case conn == nil && err == nil:
			t.Fatal("neither a stream nor an error")
		case conn != nil && err != nil:
			t.Fatalf("both a stream and %v", err)
		case errors.Is(err, errEnough):
			crossed++
		case conn != nil:
			_ = conn.Close()
		}
		cancel(nil)
	}
	t.Logf("%d of them crossed", crossed)
}
