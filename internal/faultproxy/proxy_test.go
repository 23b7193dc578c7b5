package faultproxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/faultproxy"
)

// engine is a pretended one, which counts what it is asked and upgrades execs to a connection that says "hello" and repeats what it hears.
type engine struct{ asked atomic.Int64 }

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.asked.Add(1)
	body, _ := io.ReadAll(r.Body)
	if r.Header.Get("Upgrade") == "" {
		fmt.Fprintf(w, "done %s %s", r.Method, body)
		return
	}
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nhello")
	_, _ = io.Copy(conn, buf)
}

func start(t *testing.T, rules ...faultproxy.Rule) (*faultproxy.Proxy, *engine, *http.Client) {
	t.Helper()
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "e"))
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{}
	s := &http.Server{Handler: e}
	go s.Serve(l)
	p, err := faultproxy.New(filepath.Join(dir, "p"), filepath.Join(dir, "e"), rules...)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, p) }}
	t.Cleanup(func() { _, _ = p.Close(), s.Close() })
	return p, e, &http.Client{Transport: tr}
}

func dial(ctx context.Context, p *faultproxy.Proxy) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(p.Address(), "unix://"))
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault faultproxy.Fault
		want  string // the answer; "broken" and "silent" are none
		asked int64
	}{
		{"without a fault the engine's answer comes", faultproxy.Fault{}, "200 done POST question", 1},
		{"a delay changes nothing", faultproxy.Fault{What: faultproxy.Delayed, After: time.Millisecond}, "200 done POST question", 1},
		{"a request that is dropped never comes to the engine", faultproxy.Fault{What: faultproxy.DroppedBefore}, "broken", 0},
		{"a lost answer is to something that was done", faultproxy.Fault{What: faultproxy.DroppedAfter}, "broken", 1},
		{"an answer that breaks off begins well", faultproxy.Fault{What: faultproxy.Truncated, Bytes: 4}, "200 done broken", 1},
		{"a request that comes twice is done twice", faultproxy.Fault{What: faultproxy.Duplicated}, "200 done POST question", 2},
		{"a refusal is the proxy's own", faultproxy.Fault{What: faultproxy.Answered, Status: 409}, `409 {"message":"injected: conflict"}`, 0},
		{"a false refusal is to something that was done", faultproxy.Fault{What: faultproxy.AnsweredAfter, Status: 500}, `500 {"message":"injected: internal server error"}`, 1},
		{"a request that hangs is not done", faultproxy.Fault{What: faultproxy.Hung}, "silent", 0},
		{"one that hangs may have been done", faultproxy.Fault{What: faultproxy.HungAfter}, "silent", 1},
		{"an answer that stalls begins well", faultproxy.Fault{What: faultproxy.Stalled, Bytes: 4}, "200 done silent", 1},
		{"a dead engine does nothing", faultproxy.Fault{What: faultproxy.Dead}, "broken", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, e, hc := start(t, faultproxy.Rule{Kind: faultproxy.ContainerKill, Times: 1, Fault: c.fault})
			if got := ask(t, hc); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if n := e.asked.Load(); n != c.asked {
				t.Errorf("the engine was asked %d times, want %d", n, c.asked)
			}
			if got := int64(p.Passed()[faultproxy.ContainerKill]); got != c.asked {
				t.Errorf("%d requests count as passed, want %d", got, c.asked)
			}
			again := "200 done POST question"
			if c.fault.What == faultproxy.Dead {
				again = "broken"
			}
			if got := ask(t, hc); got != again {
				t.Errorf("the next request is answered %q, want %q", got, again)
			}
		})
	}
}

// ask asks for a kill and tells the answer, or how there was none.
func ask(t *testing.T, hc *http.Client) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://e/v1.41/containers/x/kill", strings.NewReader("question"))
	if err != nil {
		t.Fatal(err)
	}
	req.GetBody = nil // or Go's client asks again by itself
	resp, err := hc.Do(req)
	if err != nil {
		return none(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	text := fmt.Sprintf("%d %s", resp.StatusCode, strings.TrimSpace(string(body)))
	if err != nil {
		text += " " + none(err)
	}
	return text
}

func none(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "silent"
	}
	return "broken"
}

func TestFaultsOfRawConnections(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault faultproxy.Fault
		want  string
		asked int64
	}{
		{"without a fault both ways are open", faultproxy.Fault{}, "101 helloquestion silent", 1},
		{"a cut comes after some bytes", faultproxy.Fault{What: faultproxy.Truncated, Bytes: 4}, "101 hell broken", 1},
		{"a stall leaves the connection open", faultproxy.Fault{What: faultproxy.Stalled, Bytes: 4}, "101 hell silent", 1},
		{"a refusal is the proxy's own", faultproxy.Fault{What: faultproxy.Answered, Status: 503}, "503", 0},
		{"a lost answer is to something that was begun", faultproxy.Fault{What: faultproxy.DroppedAfter}, "broken", 1},
		{"a start that comes twice is begun twice", faultproxy.Fault{What: faultproxy.Duplicated}, "101 helloquestion silent", 2},
		{"a start that hangs may have begun", faultproxy.Fault{What: faultproxy.HungAfter}, "silent", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, e, _ := start(t, faultproxy.Rule{Kind: faultproxy.ExecStart, Times: 1, Fault: c.fault})
			if got := upgrade(t, p); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if n := e.asked.Load(); n != c.asked {
				t.Errorf("the engine was asked %d times, want %d", n, c.asked)
			}
		})
	}
}

func upgrade(t *testing.T, p *faultproxy.Proxy) string {
	t.Helper()
	conn, err := dial(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(400 * time.Millisecond))
	fmt.Fprint(conn, "POST /v1.41/exec/x/start HTTP/1.1\r\nHost: e\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 2\r\n\r\n{}")
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return noneRaw(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Sprint(resp.StatusCode)
	}
	fmt.Fprint(conn, "question")
	got, err := io.ReadAll(r)
	return fmt.Sprintf("101 %s %s", got, noneRaw(err))
}

func noneRaw(err error) string {
	var n net.Error
	if errors.As(err, &n) && n.Timeout() {
		return "silent"
	}
	return "broken"
}

func TestRulesHitWhatTheyName(t *testing.T) {
	p, e, hc := start(t, faultproxy.Rule{Kind: faultproxy.ContainerKill, Nth: 2, Times: 2, Fault: faultproxy.Fault{What: faultproxy.DroppedBefore}})
	var got []string
	for range 4 {
		got = append(got, ask(t, hc)[:6])
	}
	if s := strings.Join(got, ","); s != "200 do,broken,broken,200 do" {
		t.Errorf("got %s", s)
	}
	p.Rules(faultproxy.Rule{Fault: faultproxy.Fault{What: faultproxy.DroppedBefore}})
	if s := ask(t, hc); s != "broken" {
		t.Errorf("a rule without a kind lets %q pass", s)
	}
	if n, s := e.asked.Load(), p.Struck(); n != 2 || s != 3 || p.Seen()[faultproxy.ContainerKill] != 5 {
		t.Errorf("%d asked, %d struck, %v seen", n, s, p.Seen())
	}
}
