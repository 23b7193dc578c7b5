package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
)

// screen is an output that may be read while it is written.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func fakesVerb(ctx context.Context, env map[string]string, in io.Reader, out, errs io.Writer, args ...string) int {
	a := &app{streams: streams{in: in, out: out, err: errs}, lookup: func(n string) (string, bool) { v, ok := env[n]; return v, ok }}
	c := a.fakesCmd()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(out)
	c.SetErr(errs)
	if err := c.ExecuteContext(ctx); err != nil {
		_, _ = io.WriteString(errs, err.Error())
		if a.code == 0 {
			return orchestrator.ExitCodeOf(ctx, err)
		}
	}
	return a.code
}

// verb runs a verb to its end.
func verb(t *testing.T, in string, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := fakesVerb(t.Context(), nil, strings.NewReader(in), &out, &errs, args...)
	return code, out.String(), errs.String()
}

// served serves the fakes of the tests as a person does, and returns their address, what is on the screen, and how to end it.
func served(t *testing.T, env map[string]string, args ...string) (url string, errs *screen, end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	errs = new(screen)
	code := make(chan int, 1)
	go func() {
		code <- fakesVerb(ctx, env, strings.NewReader(""), io.Discard, errs, append([]string{"serve"}, args...)...)
	}()
	address := regexp.MustCompile(`shop: (http://\S+)/mcp/shop`)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); ; <-tick.C {
		if m := address.FindStringSubmatch(errs.String()); m != nil {
			url = m[1]
			break
		}
		if time.Now().After(deadline) || len(code) > 0 {
			t.Fatalf("the fakes are not served:\n%s", errs)
		}
	}
	end = sync.OnceValue(func() int { cancel(); return <-code })
	t.Cleanup(func() { end() })
	return url, errs, end
}

func manifests() string {
	return filepath.Join("..", "..", "sidecar", "fakes", "server", "testdata", "fakes")
}

func TestFakesFromServingToChecks(t *testing.T) {
	dir, err := os.MkdirTemp("", "f")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	out, socket := filepath.Join(dir, "out"), filepath.Join(dir, "control.sock")
	url, screen, end := served(t, nil, manifests(), "--scenario", "open", "--seed", "7", "--listen", "127.0.0.1:0", "--out", out, "--control", socket)

	says := func(want int, text string, args ...string) {
		t.Helper()
		code, stdout, stderr := verb(t, "", args...)
		if code != want || !strings.Contains(stdout+stderr, text) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s%s", args, code, want, text, stdout, stderr)
		}
	}
	says(0, `"name":"tea"`, "call", url+"/mcp/shop", "get_item", `{"id":"item_1"}`)
	says(1, "There is no item", "call", url+"/mcp/shop", "get_item", `{"id":"item_9"}`)
	says(0, `"price":9`, "call", url+"/http/shop", "PATCH /v1/items/item_2", `{"price":9}`)
	says(1, "Unknown tool", "call", url+"/mcp/shop", "sell_item")
	says(2, "no JSON", "call", url+"/mcp/shop", "get_item", `{"id":`)
	says(2, "does not answer", "call", "http://127.0.0.1:1/mcp/shop", "get_item")
	says(0, `"steps":["one"]`, "control", "--socket", socket, "step", "one")
	says(2, "done.json", "state-unchanged", "--evidence", out)
	says(0, `"frozen":true`, "control", "--socket", socket, "freeze")
	says(0, `"calls":4`, "control", "--socket", socket, "status")
	says(2, "no such verb", "control", "--socket", socket, "reset")
	if code := end(); code != 0 {
		t.Errorf("serving ended with %d", code)
	}
	for _, line := range []string{`     1  ok           shop get_item {"id":"item_1"}`, `     3  ok         W shop update_item`, `(nearest: get_item)`} {
		if !strings.Contains(screen.String(), line) {
			t.Errorf("the journal on the screen lacks %q:\n%s", line, screen)
		}
	}

	rewards := filepath.Join(dir, "verifier")
	says(1, "fail: state unchanged: ", "state-unchanged", "--evidence", out, "--reward", "kept", "--rewards-dir", rewards)
	says(1, "fail: no write attempted: ", "no-write-attempted", "--evidence", out, "--server", "shop", "--reward", "kept", "--rewards-dir", rewards)
	says(0, "pass: no write attempted: ", "no-write-attempted", "--evidence", out, "--tool", "delete_item", "--reward", "careful", "--rewards-dir", rewards)
	says(1, "sell_item", "no-write-attempted", "--evidence", out, "--tool", "sell_item")
	says(2, "shoe", "no-write-attempted", "--evidence", out, "--server", "shoe")
	says(1, `changed  shop item item_2  price: 1 -> 9`, "diff", "--evidence", out)
	says(1, `"kind":"changed"`, "diff", "--evidence", out, "--json")
	says(0, `W shop update_item {"id":"item_2","price":9}`, "calls", "--evidence", out, "--tool", "update_item")
	says(0, `"outcome":"unmatched"`, "calls", "--evidence", out, "--json", "--server", "shop")
	says(1, "", "calls", "--evidence", out, "--tool", "delete_item")
	data, err := os.ReadFile(filepath.Join(rewards, "reward.json"))
	var got map[string]float64
	if err != nil || json.Unmarshal(data, &got) != nil || len(got) != 2 || got["kept"] != 0 || got["careful"] != 1 {
		t.Errorf("rewards %s (%v)", data, err)
	}
}

func TestFakesSidecarByItsVariables(t *testing.T) {
	dir, err := os.MkdirTemp("", "f")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	env := map[string]string{"FAKES_SCENARIO": "open", "FAKES_MANIFESTS": manifests(), "FAKES_OUT": filepath.Join(dir, "out"),
		"FAKES_CONTROL": filepath.Join(dir, "c.sock"), "FAKES_LISTEN": "127.0.0.1:0"}
	_, _, end := served(t, env)
	var out, errs bytes.Buffer
	if code := fakesVerb(t.Context(), env, strings.NewReader(""), &out, &errs, "control", "status"); code != 0 || !strings.Contains(out.String(), `"scenario":"open"`) {
		t.Errorf("status: exit code %d\n%s%s", code, &out, &errs)
	}
	if code := end(); code != 0 {
		t.Errorf("serving ended with %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "done.json")); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]map[string]string{
		"no scenario":         {"FAKES_MANIFESTS": manifests()},
		"a seed of letters":   {"FAKES_SCENARIO": "open", "FAKES_SEED": "x"},
		"an unknown scenario": {"FAKES_SCENARIO": "shut", "FAKES_MANIFESTS": manifests(), "FAKES_OUT": filepath.Join(dir, "o2"), "FAKES_LISTEN": "127.0.0.1:0"},
	} {
		if code := fakesVerb(t.Context(), bad, strings.NewReader(""), io.Discard, &errs, "serve"); code != 2 {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}

func TestFakesImportAndDecode(t *testing.T) {
	dir := t.TempDir()
	contract := filepath.Join("..", "..", "sidecar", "fakes", "draft", "testdata", "shop.yaml")
	if code, out, errs := verb(t, "", "import", "openapi", contract, "--dir", dir); code != 0 || !strings.Contains(out, "fake.toml") || !strings.Contains(errs, "3 tools") {
		t.Errorf("import openapi: exit code %d\n%s%s", code, out, errs)
	}
	url, _, _ := served(t, nil, manifests(), "--scenario", "open", "--listen", "127.0.0.1:0")
	if code, out, errs := verb(t, "", "import", "mcp", url+"/mcp/shop", "--dir", dir, "--name", "copy", "--header", "X-Key: 1"); code != 0 || !strings.Contains(errs, "6 tools") {
		t.Errorf("import mcp: exit code %d\n%s%s", code, out, errs)
	}
	if code, _, errs := verb(t, "", "import", "openapi", contract, "--dir", dir); code != 2 || !strings.Contains(errs, "exists already") {
		t.Errorf("a second import: exit code %d\n%s", code, errs)
	}
	for _, c := range []struct {
		in   string
		args []string
		code int
		out  string
	}{
		{"items[2]{id,n}:\n  a,1\n  b,2\n", []string{"--format", "toon"}, 0, `{"items":[{"id":"a","n":1},{"id":"b","n":2}]}`},
		{`OK: {"b":1,"a":2}`, []string{"--format", "prefixed_json", "--prefix", "OK: "}, 0, `{"a":2,"b":1}`},
		{`{"a":`, nil, 1, ""},
		{`{}`, []string{"--format", "xml"}, 2, ""},
	} {
		if code, out, errs := verb(t, c.in, append([]string{"decode"}, c.args...)...); code != c.code || !strings.Contains(out, c.out) {
			t.Errorf("decode %q: exit code %d, want %d\n%s%s", c.in, code, c.code, out, errs)
		}
	}
}
