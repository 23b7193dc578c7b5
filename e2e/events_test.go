package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// event is a line of a stream of events.
type event struct {
	Kind, Format, Trial, Status string
	Dropped                     int
	Result                      *caseRecord
}

func eventsOf(t *testing.T, text string) []event {
	t.Helper()
	var all []event
	for line := range strings.Lines(text) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// whole sees that a stream tells of a run from its beginning to its end, with a trial that scored 1.
func whole(t *testing.T, all []event) {
	t.Helper()
	if len(all) < 10 || all[0].Kind != "run_started" || all[0].Format != "seatrial-events" || all[len(all)-1].Kind != "run_finished" || all[len(all)-1].Status != "finished" {
		t.Fatalf("%d events: %+v", len(all), all)
	}
	n := 0
	for _, e := range all {
		if e.Kind == "trial_finished" {
			n++
			if e.Result == nil || e.Result.Score == nil || *e.Result.Score != 1 {
				t.Errorf("a trial finished with %+v", e.Result)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d trials finished", n)
	}
}

func TestEventsOfARunAreStreamed(t *testing.T) {
	t.Parallel()
	r := seatrialRun(t, "--events", "-", newTask(t, "task", ""))
	whole(t, eventsOf(t, r.stdout))
	if r.code != 0 || !strings.Contains(r.stderr, "1 planned: 1 scored") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	file := filepath.Join(t.TempDir(), "events")
	r = seatrialRun(t, "--events", file, "--json", newTask(t, "task", ""))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(filepath.Join(r.dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(own), string(data)); diff != "" {
		t.Errorf("the stream is not what the run's folder has (-folder +stream):\n%s", diff)
	}
	var rec struct{ Format string }
	if err := json.Unmarshal([]byte(r.stdout), &rec); err != nil || rec.Format != "seatrial-run" {
		t.Errorf("standard output is no record: %v\n%s", err, r.stdout)
	}
}

func TestReadersOfEventsThatAreGoneOrSlowChangeNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, said string
		read       func(*testing.T, string, *job)
	}{
		{"a pipe that nobody opens", "nobody takes them in time", func(*testing.T, string, *job) {}},
		{"a reader that goes", "broken pipe", func(t *testing.T, pipe string, j *job) {
			f, err := os.Open(pipe) // waits for the other end
			if err != nil {
				t.Fatal(err)
			}
			until(t, runLimit, "an event was read", func() bool { n, _ := f.Read(make([]byte, 100)); return n > 0 })
			f.Close()
			<-j.exited
		}},
		{"a reader that stands still", "", func(t *testing.T, pipe string, j *job) {
			f, err := os.Open(pipe)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			<-j.exited // what is told fits into the pipe
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			j := begin(t, nil, "--events", pipe, newTask(t, "task", ""))
			c.read(t, pipe, j)
			r := j.end()
			clean(t, r.id)
			if k := r.only(t); r.code != 0 || k.Score == nil || *k.Score != 1 {
				t.Errorf("exit code %d, %+v\n%s", r.code, k, r.stderr)
			}
			if !strings.Contains(r.stderr, c.said) || (c.said == "") == strings.Contains(r.stderr, "did not get to their reader") {
				t.Errorf("standard error: %s", r.stderr)
			}
			data, err := os.ReadFile(filepath.Join(r.dir, "events.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			whole(t, eventsOf(t, string(data)))
		})
	}
}

func TestARunSendsATrace(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	spans := map[string]*wire.Span{}
	all := ""
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var got coltrace.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &got)
		}
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		all += got.String()
		for _, rs := range got.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					name, _, _ := strings.Cut(s.Name, " ")
					spans[name] = s
				}
			}
		}
	}))
	defer srv.Close()
	env := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + srv.URL, "E2E_SECRET=hush-hush-hush"}
	r := begin(t, env, "--agent-env", "E2E_SECRET", "--agent-cmd", "echo $E2E_SECRET; touch /app/ok", newTask(t, "task", "")).end()
	clean(t, r.id)
	mu.Lock()
	defer mu.Unlock()
	for _, name := range []string{"run", "trial", "build", "start", "agent", "verifier", "rewards", "teardown"} {
		if spans[name] == nil {
			t.Errorf("there is no span %s", name)
		}
	}
	if t.Failed() {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	if string(spans["agent"].ParentSpanId) != string(spans["trial"].SpanId) || string(spans["trial"].ParentSpanId) != string(spans["run"].SpanId) || len(spans["run"].ParentSpanId) > 0 {
		t.Error("the spans are not in one another")
	}
	if !strings.Contains(all, r.id) || strings.Contains(all, "hush-hush") || strings.Contains(r.stderr, "traces:") {
		t.Errorf("%s\n%s", all, r.stderr)
	}
}

func TestAReceiverOfTracesThatDoesNotAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer srv.Close()
	defer close(stop)
	r := seatrialRunWith(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + srv.URL}, newTask(t, "task", ""))
	if k := r.only(t); r.code != 0 || k.Score == nil || *k.Score != 1 || strings.Count(r.stderr, "traces:") != 1 {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	if after := time.Since(*r.record.FinishedAt); after > 15*time.Second { // four, and what the machine takes
		t.Errorf("the program ended %s after the run", after)
	}
}
