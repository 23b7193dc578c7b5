package sidecar_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/seatrial/seatrial/sidecar"
)

// busy is an engine whose answers of a kind wait until they are let go.
type busy struct {
	answers
	stuck string // the end of the path
	let   chan struct{}

	mu        sync.Mutex
	now, most int
}

func (e *busy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, e.stuck) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		e.answers.ServeHTTP(w, r)
		return
	}
	e.count(1)
	defer e.count(-1)
	select {
	case <-e.let:
	case <-r.Context().Done():
	}
	w.WriteHeader(http.StatusNoContent)
}

func (e *busy) count(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now += n
	e.most = max(e.most, e.now)
}

func (e *busy) peak() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.most
}

// abreast is what an engine with four processors is asked for at a time.
const abreast = 8

// crowd starts a hundred containers at once, and returns when as many starts are under way as may be.
func crowd(ctx context.Context, t *testing.T, ended func(error)) (*busy, *sidecar.Engine, *sync.WaitGroup) {
	t.Helper()
	e := &busy{answers: sound(), stuck: "/start", let: make(chan struct{})}
	conn := connect(t, serve(t, e))
	if _, err := conn.Preflight(t.Context(), sidecar.Room{}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { ended(conn.Client().ContainerStart(ctx, "x", container.StartOptions{})) })
	}
	for deadline := time.Now().Add(10 * time.Second); e.peak() < abreast && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	time.Sleep(50 * time.Millisecond) // were there more, they would come
	return e, conn, &all
}

func TestAnEngineIsNotAskedForEverythingAtOnce(t *testing.T) {
	t.Parallel()
	e, _, all := crowd(t.Context(), t, func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	close(e.let)
	all.Wait()
	if e.peak() != abreast {
		t.Errorf("%d were under way at a time, want %d", e.peak(), abreast)
	}
}

func TestWhatIsStuckHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("that is enough")
	e, conn, all := crowd(ctx, t, func(err error) {
		if err == nil {
			t.Error("a start that was never answered is no error")
		}
	})
	quick, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if err := conn.Client().ContainerRemove(quick, "x", container.RemoveOptions{}); err != nil {
		t.Errorf("a removal: %v", err)
	}
	if _, err := conn.List(quick, sidecar.Selector{}); err != nil {
		t.Errorf("a list: %v", err)
	}
	cancel(enough)
	all.Wait()
	if e.peak() != abreast {
		t.Errorf("%d were under way at a time, want %d", e.peak(), abreast)
	}
}
