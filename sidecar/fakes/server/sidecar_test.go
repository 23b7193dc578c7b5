package server_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/server"
)

// sidecar is a set of fakes that is being served.
type sidecar struct {
	url, control, out string
	// end ends it as a signal does, and returns what Serve returned.
	end func() error
}

func config(t *testing.T) server.Config {
	t.Helper()
	dir, err := os.MkdirTemp("", "f") // t.TempDir's names are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return server.Config{Manifests: filepath.Join("testdata", "fakes"), Scenario: "open", Seed: 7, Now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC),
		Listen: "127.0.0.1:0", Out: filepath.Join(dir, "out"), Control: filepath.Join(dir, "control.sock")}
}

func start(t *testing.T, c server.Config) *sidecar {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := server.Start(ctx, c, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	ended := false
	end := func() error { ended = true; cancel(); return <-done }
	t.Cleanup(func() {
		if !ended {
			_ = end()
		}
	})
	return &sidecar{url: "http://" + s.Addr().String(), control: c.Control, out: c.Out, end: end}
}

func (s *sidecar) ask(t *testing.T, verb, name string) server.Status {
	t.Helper()
	st, err := server.Ask(t.Context(), s.control, verb, name)
	if err != nil {
		t.Fatalf("%s %s: %v", verb, name, err)
	}
	return st
}

// play makes the same calls each time.
func play(t *testing.T, url string) {
	t.Helper()
	s := connect(t, url+"/mcp/shop", "2025-11-25")
	call(t, s, "create_item", map[string]any{"name": "rice", "price": 2.25})
	call(t, s, "send_note", map[string]any{"to": "a@b.example", "text": "hello"})
	call(t, s, "create_item", map[string]any{"price": "cheap"})
	_, _ = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "sell_item"})
	send(t, "PATCH", url+"/http/shop/v1/items/item_1", `{"price": 4}`)
	send(t, "GET", url+"/http/shop/v1/item", "")
	send(t, "DELETE", url+"/http/shop/v1/items/item_2", "")
	send(t, "POST", url+"/http/shop/v1/items", `{"name":`)
}

func TestSidecar(t *testing.T) {
	s := start(t, config(t))
	if res := send(t, "GET", s.url+"/healthz", ""); res.StatusCode != 200 {
		t.Errorf("health: %s", res.Status)
	}
	play(t, s.url)
	s.ask(t, "step", "one")
	again := connect(t, s.url+"/mcp/shop", "2026-07-28")
	res := call(t, again, "get_item", map[string]any{"id": "item_1"})
	if got := textOf(res); !strings.Contains(got, `"price":4`) || res.StructuredContent == nil {
		t.Errorf("after connecting again the item is %s (%v)", got, res.StructuredContent)
	}
	st := s.ask(t, "freeze", "")
	if !st.Frozen || st.Calls != 9 || st.Outbound != 1 || st.Violations != 0 || !cmp.Equal(st.Steps, []string{"one"}) || !cmp.Equal(st.Servers, []string{"shop"}) {
		t.Errorf("status after freeze: %+v", st)
	}
	before := files(t, s.out)
	if res := send(t, "GET", s.url+"/http/shop/v1/items", ""); res.StatusCode != 503 {
		t.Errorf("a call after freeze: %s", res.Status)
	}
	if _, err := again.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_items"}); err == nil {
		t.Error("an MCP call after freeze succeeded")
	}
	s.ask(t, "freeze", "")
	var ce *server.ControlError
	if _, err := server.Ask(t.Context(), s.control, "step", "two"); !errors.As(err, &ce) {
		t.Errorf("a step after freeze: %v", err)
	}
	if err := s.end(); err != nil {
		t.Errorf("serving ended with %v", err)
	}
	after := files(t, s.out)
	delete(before, evidence.RefusedFile)
	delete(after, evidence.RefusedFile)
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("the evidence changed after freeze (-before +after):\n%s", d)
	}
	checkEvidence(t, s.out)
}

func checkEvidence(t *testing.T, dir string) {
	t.Helper()
	e, err := evidence.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := e.Calls(evidence.Query{}, func(c evidence.CallLine) error {
		got = append(got, strings.Join([]string{c.Protocol, c.Tool, c.Outcome, c.Nearest}, " "))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"mcp/2025-11-25 create_item ok ", "mcp/2025-11-25 send_note ok ", "mcp/2025-11-25 create_item rejected ", "mcp/2025-11-25 sell_item unmatched get_item",
		"http update_item ok ", "http GET /v1/item unmatched GET /v1/items", "http delete_item ok ", "http create_item rejected ",
		"mcp/2026-07-28 get_item ok ",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

func TestSameCallsGiveTheSameBytes(t *testing.T) {
	var runs []map[string]string
	for range 2 {
		s := start(t, config(t))
		play(t, s.url)
		s.ask(t, "step", "one")
		s.ask(t, "freeze", "")
		runs = append(runs, files(t, s.out))
	}
	if d := cmp.Diff(runs[0], runs[1]); d != "" || len(runs[0]) < 8 {
		t.Errorf("%d files (-first +second):\n%s", len(runs[0]), d)
	}
}

func TestASignalFreezes(t *testing.T) {
	s := start(t, config(t))
	play(t, s.url)
	if _, err := evidence.Open(s.out); err == nil {
		t.Error("the evidence is complete while the fakes are served")
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.Open(s.out); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(s.control); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the control socket is still there: %v", err)
	}
}

func TestScriptedFaults(t *testing.T) {
	c := config(t)
	c.Scenario = "rough"
	s := start(t, c)
	const path = "/http/shop/v1/items/item_1"
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req); err == nil {
		t.Errorf("the first call got %s", res.Status)
	}
	if got := text(t, send(t, "GET", s.url+path, "")); !strings.HasPrefix(got, `{"id":"it`) || strings.HasSuffix(got, "}") {
		t.Errorf("the second call got %q", got)
	}
	begun := time.Now()
	if got := text(t, send(t, "GET", s.url+path, "")); !strings.Contains(got, "tea") || time.Since(begun) < 30*time.Millisecond {
		t.Errorf("the third call got %q after %v", got, time.Since(begun))
	}
	if res := send(t, "GET", s.url+path, ""); res.StatusCode != 503 || !strings.Contains(text(t, res), "Overloaded") {
		t.Errorf("the fourth call got %s", res.Status)
	}
	m := connect(t, s.url+"/mcp/shop", "2025-06-18")
	if res := call(t, m, "get_item", map[string]any{"id": "item_1"}); !res.IsError || textOf(res) != "Try again." {
		t.Errorf("the fifth call got %q, error %v", textOf(res), res.IsError)
	}
	if res := call(t, m, "get_item", map[string]any{"id": "item_1"}); res.IsError {
		t.Errorf("the sixth call got %q", textOf(res))
	}
}

func TestNothingButTheAgentsPlaneIsOnTCP(t *testing.T) {
	s := start(t, config(t))
	for _, path := range []string{"/status", "/freeze", "/step?name=x", "/control", "/http/shop/../../freeze", "/mcp/shop/../../freeze"} {
		if res := post(t, s.url+path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	if st := s.ask(t, "status", ""); st.Frozen || st.Calls > 1 {
		t.Errorf("status %+v", st)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", s.control)
	if err != nil {
		t.Fatal(err)
	}
	if addr := conn.RemoteAddr().Network(); addr != "unix" {
		t.Errorf("the control plane is on %s", addr)
	}
	conn.Close()
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		m[e.Name()] = string(data)
	}
	return m
}
