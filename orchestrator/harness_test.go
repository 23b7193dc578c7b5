package orchestrator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return map[string]*jsonschema.Schema{
		"run":   c.MustCompile("../docs/run.schema.json"),
		"trial": c.MustCompile("../docs/trial.schema.json"),
	}
})

// conforms sees that a record keeps to its published schema.
func conforms(t *testing.T, schema string, data []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("the %s record is not JSON: %v\n%s", schema, err, data)
	}
	if err := schemas()[schema].Validate(doc); err != nil {
		t.Errorf("the %s record does not conform: %#v\n%s", schema, err, data)
	}
}

// host is the environment that the tests' tasks see.
func host(name string) (string, bool) {
	v, ok := map[string]string{
		"API_TOKEN": "tok-0123456789", "JUDGE_KEY": "key+judge/42==", "SOLVE_KEY": "solve\"key", "HOME": "/home/nobody",
	}[name]
	return v, ok
}

func options(change ...func(*orchestrator.Options)) *orchestrator.Options {
	o := &orchestrator.Options{Agent: orchestrator.AgentChoice{Kind: orchestrator.AgentOracle}, Lookup: host}
	for _, c := range change {
		c(o)
	}
	return o
}

func command(text string) func(*orchestrator.Options) {
	return func(o *orchestrator.Options) {
		o.Agent = orchestrator.AgentChoice{Kind: orchestrator.AgentCommand, Command: text}
	}
}

func nop(o *orchestrator.Options) { o.Agent.Kind = orchestrator.AgentNop }

// planOf plans one of the tasks below testdata/tasks.
func planOf(t *testing.T, name string, change ...func(*orchestrator.Options)) *orchestrator.Plan {
	t.Helper()
	jobs, err := orchestrator.Plans(t.Context(), []string{filepath.Join("testdata", "tasks", name)}, options(change...))
	if err != nil {
		t.Fatal(err)
	}
	if jobs[0].Err != nil {
		t.Fatal(jobs[0].Err)
	}
	return jobs[0].Plan
}

// house is a run's folder with a runner on a fake engine.
type house struct {
	*orchestrator.Runner
	eng    *fakeEngine
	mu     sync.Mutex
	events []orchestrator.Event
}

func newHouse(t *testing.T, s scene) *house {
	t.Helper()
	folder, err := orchestrator.CreateFolder(t.TempDir(), "run-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(folder.Close)
	h := &house{eng: newEngine(s)}
	h.Runner = &orchestrator.Runner{Engine: h.eng, Folder: folder, Owner: sidecar.Owner{Host: "h", Boot: "b", NS: "1", PID: 1, Start: "1"},
		Tool: orchestrator.Tool{Name: "seatrial", Version: "test", Commit: "none"}, Tell: h.tell}
	return h
}

func (h *house) tell(e orchestrator.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
	h.Folder.Append(e)
}

// play carries out a plan and checks what must hold for every trial.
func (h *house) play(ctx context.Context, t *testing.T, p *orchestrator.Plan) *orchestrator.TrialRecord {
	t.Helper()
	rec, err := h.Trial(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	file := h.path(p, "trial.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := orchestrator.Encode(rec)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(data)); diff != "" {
		t.Errorf("trial.json is not the record that was returned (-returned +written):\n%s", diff)
	}
	conforms(t, "trial", data)
	if rec.FinishedAt.Before(rec.StartedAt) {
		t.Errorf("the trial ends at %v, before its start at %v", rec.FinishedAt, rec.StartedAt)
	}
	if !rec.Kept && len(rec.Leaks) == 0 && h.eng.left() != 0 {
		t.Errorf("%d trials are still on the engine, and the record tells of none", h.eng.left())
	}
	h.artifactsExist(t, p, &rec.Case.Artifacts)
	return rec
}

func (h *house) artifactsExist(t *testing.T, p *orchestrator.Plan, a *orchestrator.Artifacts) {
	t.Helper()
	if a.Trial != "trials/"+p.Folder {
		t.Errorf("artifacts.trial = %q", a.Trial)
	}
	for _, rel := range []string{a.Trial, a.Logs, a.Rewards, a.Details, a.Trajectory, a.Grade} {
		if _, err := os.Stat(filepath.Join(h.Folder.Path, filepath.FromSlash(rel))); err != nil {
			t.Errorf("an artifact is named and not there: %v", err)
		}
	}
}

func (h *house) path(p *orchestrator.Plan, elem ...string) string {
	return filepath.Join(append([]string{h.Folder.Path, "trials", p.Folder}, elem...)...)
}

func (h *house) file(t *testing.T, p *orchestrator.Plan, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(h.path(p, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// phases are the phases that began, in order.
func (h *house) phases() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, e := range h.events {
		if e.Kind == orchestrator.OnPhaseStarted {
			out = append(out, string(e.Phase))
		}
	}
	return strings.Join(out, " ")
}

func codes(rec *orchestrator.TrialRecord) []string {
	var out []string
	for _, w := range rec.Case.Warnings {
		out = append(out, w.Code)
	}
	slices.Sort(out)
	return out
}

// stable replaces what differs between runs and machines in a record.
func stable(t *testing.T, rec any) string {
	t.Helper()
	data, err := orchestrator.Encode(rec)
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	s := strings.ReplaceAll(string(data), here, "/HERE")
	return regexp.MustCompile(`-[0-9a-f]{8}"`).ReplaceAllString(s, `-RANDOM"`)
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
