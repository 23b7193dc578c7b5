package spans_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/spans"
)

// receiver takes spans by OTLP.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	all    []*wire.Span
	origin map[string]any
	header http.Header
	path   string
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var got coltrace.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &got)
		}
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.header, r.path = q.Header, q.URL.Path
		for _, rs := range got.ResourceSpans {
			r.origin = values(rs.Resource.Attributes)
			for _, ss := range rs.ScopeSpans {
				r.all = append(r.all, ss.Spans...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func values(list []*common.KeyValue) map[string]any {
	out := map[string]any{}
	for _, kv := range list {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			out[kv.Key] = v.IntValue
		case *common.AnyValue_DoubleValue:
			out[kv.Key] = v.DoubleValue
		case *common.AnyValue_BoolValue:
			out[kv.Key] = v.BoolValue
		}
	}
	return out
}

// begin is the trace that the environment asks for.
func begin(t *testing.T, env ...string) (*spans.Trace, error) {
	t.Helper()
	vars := map[string]string{}
	for i := 0; i < len(env); i += 2 {
		vars[env[i]] = env[i+1]
		t.Setenv(env[i], env[i+1])
	}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	return spans.FromEnv(t.Context(), lookup, orchestrator.Tool{Name: "seatrial", Version: "1.2"})
}

var began = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// tell tells events, a second apart.
func tell(s *spans.Trace, list ...orchestrator.Event) {
	for i, e := range list {
		e.Time = began.Add(time.Duration(i) * time.Second)
		s.Tell(e)
	}
}

// shape is a span without its ids.
type shape struct {
	Name, Parent, Status string
	From, To             float64 // seconds after the beginning
	Attributes           map[string]any
}

func shapes(t *testing.T, list []*wire.Span) []shape {
	t.Helper()
	names := map[string]string{}
	for _, s := range list {
		names[string(s.SpanId)] = s.Name
		if string(s.TraceId) != string(list[0].TraceId) {
			t.Errorf("span %s is of another trace", s.Name)
		}
	}
	at := func(n uint64) float64 { return time.Unix(0, int64(n)).Sub(began).Seconds() }
	var out []shape
	for _, s := range list {
		status := ""
		if s.Status.GetCode() == wire.Status_STATUS_CODE_ERROR {
			status = "error " + s.Status.Message
		}
		out = append(out, shape{Name: s.Name, Parent: names[string(s.ParentSpanId)], Status: status, From: at(s.StartTimeUnixNano), To: at(s.EndTimeUnixNano), Attributes: values(s.Attributes)})
	}
	slices.SortFunc(out, func(a, b shape) int { return strings.Compare(a.Parent+"/"+a.Name, b.Parent+"/"+b.Name) })
	return out
}

func TestARunIsATrace(t *testing.T) {
	r := receive(t)
	s, err := begin(t, "OTEL_EXPORTER_OTLP_ENDPOINT", r.URL, "OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hush", "OTEL_RESOURCE_ATTRIBUTES", "team=eval")
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	good := &orchestrator.Case{ID: "a", Task: orchestrator.TaskRef{Name: "org/a"}, Status: orchestrator.Complete, Score: &half}
	bad := &orchestrator.Case{ID: "b", Task: orchestrator.TaskRef{Name: "org/b"}, Status: orchestrator.Incomplete, Error: &orchestrator.Fault{Code: orchestrator.CodeBuildFailed, Message: "the message stays in the record"}}
	tell(s,
		orchestrator.Event{Kind: orchestrator.OnNote, Text: "early"},
		orchestrator.Event{Kind: orchestrator.OnRunStarted, RunID: "r1", Planned: 4},
		orchestrator.Event{Kind: orchestrator.OnTrialQueued, Trial: "a", CaseID: "a"},
		orchestrator.Event{Kind: orchestrator.OnTrialStarted, Trial: "a", CaseID: "a"},
		orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Trial: "a", CaseID: "a", Phase: orchestrator.PhaseAgent, Step: "one"},
		orchestrator.Event{Kind: orchestrator.OnTrialStarted, Trial: "b-2", CaseID: "b"},
		orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Trial: "b-2", CaseID: "b", Phase: orchestrator.PhaseBuild},
		orchestrator.Event{Kind: orchestrator.OnPhaseFinished, Trial: "a", CaseID: "a", Phase: orchestrator.PhaseAgent, Step: "one"},
		orchestrator.Event{Kind: orchestrator.OnPhaseFinished, Trial: "b-2", CaseID: "b", Phase: orchestrator.PhaseBuild, Failed: true},
		orchestrator.Event{Kind: orchestrator.OnTrialFinished, Trial: "b-2", CaseID: "b", Case: bad},
		orchestrator.Event{Kind: orchestrator.OnTrialFinished, Trial: "a", CaseID: "a", Case: good},
		orchestrator.Event{Kind: orchestrator.OnTrialFinished, Trial: "c", CaseID: "c", Case: bad}, // it could not be planned
		orchestrator.Event{Kind: orchestrator.OnTrialStarted, Trial: "d", CaseID: "d"},
		orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Trial: "d", CaseID: "d", Phase: orchestrator.PhaseBuild},
		orchestrator.Event{Kind: orchestrator.OnTrialFinished, Trial: "d", CaseID: "d"}, // called off
		orchestrator.Event{Kind: orchestrator.OnRunFinished, Status: orchestrator.RunFinished, Stopped: "--fail-fast: b is incomplete", Summary: &orchestrator.Summary{MeanScore: &half}},
	)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []shape{
		{Name: "run", From: 1, To: 15, Attributes: map[string]any{"seatrial.run.id": "r1", "seatrial.run.planned": int64(4), "seatrial.run.mean_score": 0.5, "seatrial.status": "finished", "seatrial.run.stopped": "--fail-fast: b is incomplete"}},
		{Name: "trial a", Parent: "run", From: 3, To: 10, Attributes: map[string]any{"seatrial.run.id": "r1", "seatrial.case.id": "a", "seatrial.trial": "a", "seatrial.task.name": "org/a", "seatrial.status": "complete", "seatrial.score": 0.5}},
		{Name: "trial b", Parent: "run", Status: "error build_failed", From: 5, To: 9, Attributes: map[string]any{"seatrial.run.id": "r1", "seatrial.case.id": "b", "seatrial.trial": "b-2", "seatrial.task.name": "org/b", "seatrial.status": "incomplete", "seatrial.error.code": "build_failed"}},
		{Name: "trial c", Parent: "run", Status: "error build_failed", From: 11, To: 11, Attributes: map[string]any{"seatrial.run.id": "r1", "seatrial.case.id": "c", "seatrial.trial": "c", "seatrial.task.name": "org/b", "seatrial.status": "incomplete", "seatrial.error.code": "build_failed"}},
		{Name: "trial d", Parent: "run", From: 12, To: 14, Attributes: map[string]any{"seatrial.run.id": "r1", "seatrial.case.id": "d", "seatrial.trial": "d", "seatrial.status": "missing"}},
		{Name: "agent", Parent: "trial a", From: 4, To: 7, Attributes: map[string]any{"seatrial.case.id": "a", "seatrial.trial": "a", "seatrial.phase": "agent", "seatrial.step": "one"}},
		{Name: "build", Parent: "trial b", From: 6, To: 8, Attributes: map[string]any{"seatrial.case.id": "b", "seatrial.trial": "b-2", "seatrial.phase": "build", "seatrial.failed": true}},
		{Name: "build", Parent: "trial d", From: 13, To: 14, Attributes: map[string]any{"seatrial.case.id": "d", "seatrial.trial": "d", "seatrial.phase": "build"}},
	}
	if diff := cmp.Diff(want, shapes(t, r.all)); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if r.path != "/v1/traces" || r.header.Get("Authorization") != "Bearer hush" {
		t.Errorf("asked for %s with %v", r.path, r.header)
	}
	for _, name := range []string{"telemetry.sdk.language", "telemetry.sdk.name", "telemetry.sdk.version"} {
		delete(r.origin, name)
	}
	if diff := cmp.Diff(map[string]any{"service.name": "seatrial", "service.version": "1.2", "team": "eval"}, r.origin); diff != "" {
		t.Errorf("origin (-want +got):\n%s", diff)
	}
}

func TestWhatTheEnvironmentAsksFor(t *testing.T) {
	const at, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for _, c := range []struct {
		name    string
		env     []string
		traces  bool
		problem string
	}{
		{"nothing", nil, false, ""},
		{"an empty endpoint", []string{at, ""}, false, ""},
		{"an endpoint", []string{at, "http://127.0.0.1:1"}, true, ""},
		{"an endpoint for traces", []string{traces, "https://127.0.0.1:1/x"}, true, ""},
		{"disabled", []string{at, "http://127.0.0.1:1", "OTEL_SDK_DISABLED", "TRUE"}, false, ""},
		{"not disabled", []string{at, "http://127.0.0.1:1", "OTEL_SDK_DISABLED", "false"}, true, ""},
		{"no exporter", []string{at, "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER", "none"}, false, ""},
		{"exporters", []string{at, "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER", "console, otlp"}, true, ""},
		{"another exporter", []string{at, "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER", "jaeger"}, false, "OTEL_TRACES_EXPORTER"},
		{"another protocol", []string{at, "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, false, "OTEL_EXPORTER_OTLP_PROTOCOL"},
		{"the protocol of traces", []string{at, "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"}, true, ""},
		{"a host without a scheme", []string{at, "collector:4318"}, false, at},
		{"no URL", []string{traces, "http://user:hush@[x"}, false, traces},
		{"headers that cannot be read", []string{at, "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS", "authorization=hush%zz"}, true, "not all of them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := begin(t, c.env...)
			if (s != nil) != c.traces || (err != nil) != (c.problem != "") {
				t.Fatalf("a trace: %v, %v", s != nil, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.problem) || strings.Contains(err.Error(), "hush") || !errors.As(err, new(*spans.SettingError))) {
				t.Errorf("%v", err)
			}
			if s == nil {
				return
			}
			if err := s.Close(t.Context()); err != nil { // a run that did not begin
				t.Error(err)
			}
		})
	}
}

// many are the events of a run with so many trials.
func many(n int) []orchestrator.Event {
	list := []orchestrator.Event{{Kind: orchestrator.OnRunStarted, RunID: "r"}}
	for range n {
		list = append(list, orchestrator.Event{Kind: orchestrator.OnTrialStarted, Trial: "x"}, orchestrator.Event{Kind: orchestrator.OnTrialFinished, Trial: "x"})
	}
	return append(list, orchestrator.Event{Kind: orchestrator.OnRunFinished})
}

func TestAReceiverThatDoesNotAnswerHoldsUpNothingForLong(t *testing.T) {
	stop := make(chan struct{})
	mute := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer mute.Close()
	defer close(stop)
	s, err := begin(t, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", mute.URL)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	tell(s, many(10_000)...)
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("telling took %s", took)
	}
	start = time.Now()
	err = s.Close(t.Context())
	if took := time.Since(start); took > spans.EndLimit+time.Second {
		t.Errorf("the end took %s", took)
	}
	var lost *spans.LostError
	if !errors.As(err, &lost) || lost.Lost != 10_001 || lost.All != 10_001 || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("%v", err)
	}
}

func TestAReceiverThatRefusesIsToldOfAtTheEnd(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	angry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer angry.Close()
	for url, why := range map[string]string{gone.URL: "connection refused", angry.URL: "403"} {
		s, err := begin(t, "OTEL_EXPORTER_OTLP_ENDPOINT", url)
		if err != nil {
			t.Fatal(err)
		}
		tell(s, many(1)...)
		err = s.Close(t.Context())
		var lost *spans.LostError
		if !errors.As(err, &lost) || lost.Lost != 2 || !strings.Contains(err.Error(), why) {
			t.Errorf("%v; want %s", err, why)
		}
	}
}
