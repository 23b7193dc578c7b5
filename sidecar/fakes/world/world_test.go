package world_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

var update = flag.Bool("update", false, "write the golden files anew")

func load(tb testing.TB) *spec.Fakes {
	tb.Helper()
	f, err := spec.Load("testdata/fakes")
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

type records struct{ calls, outbound, violations, refused bytes.Buffer }

func start(tb testing.TB, f *spec.Fakes, scenario string) (*world.World, *records) {
	tb.Helper()
	w, err := world.New(f, scenario, 7, time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	if err != nil {
		tb.Fatal(err)
	}
	r := &records{}
	w.Record(world.Journal{Calls: &r.calls, Outbound: &r.outbound, Violations: &r.violations, Refused: &r.refused})
	return w, r
}

// do reads "server tool {...}"; a server in capitals is asked over HTTP.
func do(tb testing.TB, w *world.World, line string) world.Answer {
	tb.Helper()
	server, rest, _ := strings.Cut(line, " ")
	tool, args, _ := strings.Cut(rest, " {")
	if args != "" {
		args = "{" + args
	}
	c := world.Call{Server: strings.ToLower(server), Tool: tool, Arguments: json.RawMessage(args), Protocol: "mcp/2025-11-25"}
	if server != c.Server {
		c.Protocol = "http"
		c.Unmatched = strings.Contains(tool, " ")
	}
	return w.Do(tb.Context(), c)
}

func show(b *strings.Builder, line string, a world.Answer) {
	fmt.Fprintf(b, "> %s\n%s", line, a.Outcome)
	if a.Write {
		b.WriteString(" write")
	}
	if a.Status != 0 {
		fmt.Fprintf(b, " %d %s", a.Status, a.Headers["Content-Type"])
	}
	if a.ToolError {
		b.WriteString(" isError")
	}
	if a.Code != 0 {
		fmt.Fprintf(b, " %d: %s", a.Code, a.Message)
	}
	if a.Fault != "" {
		fmt.Fprintf(b, " fault=%s/%d", a.Fault, a.DelayMS)
	}
	if a.Nearest != "" {
		fmt.Fprintf(b, " nearest=%s", a.Nearest)
	}
	fmt.Fprintf(b, "\n%s\n", a.Text)
	if a.Structured != nil {
		fmt.Fprintf(b, "structured %s\n", a.Structured)
	}
}

// TestGolden plays testdata/golden/<scenario>-*.txt: the lines that start with ">" are the calls.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	f := load(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(strings.ReplaceAll(name, "-", " "), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			scenario, _, _ := strings.Cut(name, "-")
			w, r := start(t, f, scenario)
			var b strings.Builder
			for line := range strings.Lines(string(data)) {
				if call, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
					if call == "freeze" {
						w.Freeze()
						b.WriteString("> freeze\n")
						continue
					}
					show(&b, call, do(t, w, call))
				}
			}
			fmt.Fprintf(&b, "= state\n%s\n", indent(w))
			fmt.Fprintf(&b, "= calls\n%s= outbound\n%s= violations\n%s= refused\n%s", &r.calls, &r.outbound, &r.violations, &r.refused)
			got := b.String()
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(data), got); diff != "" && !*update {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func indent(w *world.World) string {
	text, err := json.MarshalIndent(w.Snapshot(), "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
