package orchestrator_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// emptyEngine answers on a socket as an engine on which there is nothing.
func emptyEngine(t *testing.T) string {
	t.Helper()
	return engineWith(t, "[]")
}

// engineWith answers as one on which there are these containers, and no more.
func engineWith(t *testing.T, containers string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "engine") // t.TempDir's names are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/version"):
			_, _ = io.WriteString(w, `{"Version": "28.5.2", "ApiVersion": "1.51", "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64"}`)
		case strings.HasSuffix(r.URL.Path, "/containers/json"):
			_, _ = io.WriteString(w, containers)
		case strings.HasSuffix(r.URL.Path, "/volumes"):
			_, _ = io.WriteString(w, "{}")
		default:
			_, _ = io.WriteString(w, "[]")
		}
	})}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "unix://" + socket
}

// begin starts a session on an empty engine: its guard is a shell that reads to the end.
func begin(t *testing.T, o *orchestrator.Options, planned int) (*orchestrator.Session, *[]orchestrator.Event) {
	t.Helper()
	return beginBatch(t, o, planned, orchestrator.Batch{})
}

func beginBatch(t *testing.T, o *orchestrator.Options, planned int, b orchestrator.Batch) (*orchestrator.Session, *[]orchestrator.Event) {
	t.Helper()
	var events []orchestrator.Event
	s, _ := beginHeard(t, o, planned, b, func(e orchestrator.Event) { events = append(events, e) })
	return s, &events
}

// beginHeard starts a session of which somebody hears.
func beginHeard(t *testing.T, o *orchestrator.Options, planned int, b orchestrator.Batch, tell func(orchestrator.Event)) (*orchestrator.Session, *orchestrator.Request) {
	t.Helper()
	host := sidecar.Host{Address: emptyEngine(t), Source: "test"}
	conn, err := sidecar.Connect(host)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := &orchestrator.Request{Paths: []string{"tasks"}, Options: *o, Batch: b, RunsDir: t.TempDir(), Args: []string{"run", "tasks"},
		Tool: orchestrator.Tool{Name: "seatrial", Version: "test", Commit: "none"}, Host: host,
		Guard: func(string) []string { return []string{"/bin/sh", "-c", "cat >/dev/null"} },
		Tell:  tell}
	s, err := orchestrator.NewSession(t.Context(), q, conn, planned)
	if err != nil {
		t.Fatal(err)
	}
	return s, q
}

// copyTask makes a task of its own from one of testdata/tasks, with changes to task.toml.
func copyTask(t *testing.T, from, to string, change ...string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(filepath.Join("testdata", "tasks", from))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(to, "task.toml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(change...).Replace(string(data))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tasks makes n tasks with cases a, b, c and so on.
func tasks(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		name := string(rune('a' + i))
		copyTask(t, "plain", filepath.Join(dir, name), `"fixtures/plain"`, `"fixtures/`+name+`"`, `case = "plain"`, `case = "`+name+`"`)
	}
	return dir
}

func readRun(t *testing.T, dir string) orchestrator.RunRecord {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	conforms(t, "run", data)
	return decode[orchestrator.RunRecord](t, data)
}

func finished(events []orchestrator.Event) int {
	n := 0
	for _, e := range events {
		if e.Kind == orchestrator.OnTrialFinished {
			n++
		}
	}
	return n
}
