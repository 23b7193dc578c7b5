package sidecar_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/internal/faultproxy"
	"github.com/seatrial/seatrial/sidecar"
)

// broken is an engine that has one container, behind a proxy that does what the rules say.
func broken(t *testing.T, rules ...faultproxy.Rule) (*sidecar.Engine, *faultproxy.Proxy) {
	t.Helper()
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "e"))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(oneContainer)}
	go s.Serve(l)
	p, err := faultproxy.New(filepath.Join(dir, "p"), filepath.Join(dir, "e"), rules...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sidecar.Connect(sidecar.Host{Address: p.Address(), Source: "test", CallLimit: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = e.Close(), p.Close(), s.Close() })
	return e, p
}

func oneContainer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Api-Version", "1.41")
	w.Header().Set("Content-Type", "application/json")
	switch kind := faultproxy.KindOf(r.Method, r.URL.Path); {
	case kind.Upgrades():
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nhello")
	case kind == faultproxy.ContainerList:
		_ = json.NewEncoder(w).Encode([]any{map[string]any{"Id": "c1", "Names": []string{"/c"}, "Labels": map[string]string{sidecar.LabelRun: "r"}}})
	case kind == faultproxy.Version:
		fmt.Fprint(w, `{"Version":"20.10.24","ApiVersion":"1.41","MinAPIVersion":"1.12","Os":"linux","Arch":"amd64"}`)
	case kind == faultproxy.VolumeList:
		fmt.Fprint(w, `{"Volumes":[]}`)
	default:
		fmt.Fprint(w, `[]`)
	}
}

func TestCallsThatTheEngineDoesNotAnswer(t *testing.T) {
	list := faultproxy.ContainerList
	for _, c := range []struct {
		name    string
		fault   faultproxy.Fault
		times   int
		works   bool
		tries   int
		passing bool // an error says that another try may help
	}{
		{"an answer that is lost is asked for again", faultproxy.Fault{What: faultproxy.DroppedAfter}, 1, true, 2, false},
		{"a request that never arrives is made again", faultproxy.Fault{What: faultproxy.DroppedBefore}, 3, true, 4, false},
		{"an answer that breaks off is asked for again", faultproxy.Fault{What: faultproxy.Truncated, Bytes: 5}, 1, true, 2, false},
		{"an answer that stalls is asked for again", faultproxy.Fault{What: faultproxy.Stalled, Bytes: 5}, 1, true, 2, false},
		{"an engine that hangs is asked again", faultproxy.Fault{What: faultproxy.Hung}, 1, true, 2, false},
		{"an engine that is busy is asked again", faultproxy.Fault{What: faultproxy.Answered, Status: 503}, 2, true, 3, false},
		{"an engine that limits its rate is asked again", faultproxy.Fault{What: faultproxy.Answered, Status: 429}, 1, true, 2, false},
		{"a refusal is taken at its word", faultproxy.Fault{What: faultproxy.Answered, Status: 409}, 1, false, 1, false},
		{"after four tries it is over", faultproxy.Fault{What: faultproxy.Answered, Status: 500}, 0, false, 4, true},
		{"after four silences it is over", faultproxy.Fault{What: faultproxy.Hung}, 0, false, 4, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, p := broken(t, faultproxy.Rule{Kind: list, Times: c.times, Fault: c.fault})
			got, err := e.List(t.Context(), sidecar.Selector{Run: "r"})
			if c.works != (err == nil) || c.works && (len(got) != 1 || got[0].ID != "c1") {
				t.Fatalf("got %v, %v", got, err)
			}
			if n := p.Seen()[list]; n != c.tries {
				t.Errorf("it was asked %d times, want %d", n, c.tries)
			}
			// Go's own client makes a request once more by itself when a connection from its pool turns out to be dead.
			least := int64(1)
			if c.fault.What == faultproxy.DroppedAfter || c.fault.What == faultproxy.DroppedBefore {
				least = 0
			}
			if c.works && (e.Retries() < least || e.Retries() > int64(c.tries-1)) {
				t.Errorf("%d retries are counted", e.Retries())
			}
			if err != nil && sidecar.Passing(err) != c.passing {
				t.Errorf("passing is %v: %v", !c.passing, err)
			}
		})
	}
}

func TestTheCallersEndEndsTheTries(t *testing.T) {
	e, p := broken(t, faultproxy.Rule{Kind: faultproxy.ContainerList, Fault: faultproxy.Fault{What: faultproxy.Hung}})
	why := errors.New("the trial is over")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, why)
	defer cancel()
	_, err := e.List(ctx, sidecar.Selector{})
	if !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	if n := p.Seen()[faultproxy.ContainerList]; n != 1 {
		t.Errorf("it was asked %d times", n)
	}
}

func TestARemovalWhoseEngineIsGoneSaysWhatIsNotKnown(t *testing.T) {
	e, _ := broken(t, faultproxy.Rule{Fault: faultproxy.Fault{What: faultproxy.Dead}})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var leak *sidecar.LeakError
	if err := e.Remove(ctx, sidecar.Selector{Trial: "t"}); !errors.As(err, &leak) || len(leak.Left) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestRawConnections(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault faultproxy.Fault
		is    func(error) bool // nil = it works
	}{
		{"one that is answered is open, with what came along", faultproxy.Fault{}, nil},
		{"one that is not answered is given up", faultproxy.Fault{What: faultproxy.Hung}, sidecar.Passing},
		{"one that breaks at once is given up", faultproxy.Fault{What: faultproxy.DroppedBefore}, sidecar.Passing},
		{"one that is refused says so", faultproxy.Fault{What: faultproxy.Answered, Status: 404}, errdefs.IsNotFound},
		{"one that clashes says so", faultproxy.Fault{What: faultproxy.Answered, Status: 409}, errdefs.IsConflict},
		{"one to a busy engine says so", faultproxy.Fault{What: faultproxy.Answered, Status: 503}, errdefs.IsUnavailable},
		{"one to a failing engine says so", faultproxy.Fault{What: faultproxy.Answered, Status: 500}, errdefs.IsInternal},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, p := broken(t, faultproxy.Rule{Kind: faultproxy.Build, Fault: c.fault})
			conn, err := e.Builds().DialHijack(t.Context(), "/grpc", "h2c", nil)
			if n := p.Seen()[faultproxy.Build]; n != 1 {
				t.Errorf("it was opened %d times", n)
			}
			if c.is != nil {
				if err == nil || !c.is(err) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if said, err := io.ReadAll(conn); string(said) != "hello" {
				t.Errorf("it says %q, %v", said, err)
			}
		})
	}
}

func TestPassing(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"success is no trouble", nil, false},
		{"a broken connection passes", fmt.Errorf("x: %w", syscall.ECONNRESET), true},
		{"an answer that breaks off passes", fmt.Errorf("x: %w", io.ErrUnexpectedEOF), true},
		{"silence passes", fmt.Errorf("x: %w", &sidecar.CallError{Limit: time.Second}), true},
		{"an internal error passes", fmt.Errorf("x: %w", errdefs.ErrInternal), true},
		{"what is not there stays so", fmt.Errorf("x: %w", errdefs.ErrNotFound), false},
		{"a conflict stays", fmt.Errorf("x: %w", errdefs.ErrConflict), false},
		{"the end of the context stays", fmt.Errorf("x: %w", context.Canceled), false},
		{"a service that died stays dead", &sidecar.DeadError{Service: "s", Cause: errdefs.ErrInternal}, false},
		{"another error is not the engine's", errors.New("x"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sidecar.Passing(c.err); got != c.want {
				t.Errorf("passing is %v", got)
			}
		})
	}
}

func TestAgain(t *testing.T) {
	for _, c := range []struct {
		name       string
		errs       []error
		tries      int
		wantRetold int
	}{
		{"what works is done once", nil, 1, 0},
		{"what the engine broke off is done again", []error{io.ErrUnexpectedEOF, errdefs.ErrInternal}, 3, 2},
		{"what it refuses is not", []error{errdefs.ErrNotFound, nil}, 1, 0},
		{"after four tries it is over", []error{io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF}, 4, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tries, told := 0, 0
			err := sidecar.Again(t.Context(), func() { told++ }, func() error {
				tries++
				if tries <= len(c.errs) {
					return c.errs[tries-1]
				}
				return nil
			})
			if tries != c.tries || told != c.wantRetold {
				t.Errorf("%d tries, %d told of", tries, told)
			}
			if (err == nil) != (tries > len(c.errs)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheLimitOnSilenceThatTheEnvironmentSets(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "10s": 10 * time.Second, "100ms": 100 * time.Millisecond, "99ms": -1, "-5s": -1, "10": -1, "soon": -1} {
		h, err := sidecar.Host{Address: "unix:///x"}.Patient(text)
		var u *sidecar.UnusableError
		switch {
		case want < 0 && (!errors.As(err, &u) || !strings.Contains(u.Source, "SEATRIAL_CALL_LIMIT")):
			t.Errorf("%q is taken: %v", text, err)
		case want >= 0 && (err != nil || h.CallLimit != want):
			t.Errorf("%q gives %s, %v", text, h.CallLimit, err)
		}
	}
}
