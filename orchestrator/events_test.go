package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// documented are the tables of docs/events.md: the fields of each kind, and all fields.
func documented(t *testing.T) (kinds map[string][]string, all []string) {
	t.Helper()
	data, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(string(data), "## Readers")
	byKind, byField, _ := strings.Cut(page, "| field |")
	code := regexp.MustCompile("`([a-z_]+)`")
	names := func(cell string) (out []string) {
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			out = append(out, m[1])
		}
		return out
	}
	kinds = map[string][]string{}
	for line := range strings.Lines(byKind) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			kinds[names(cells[1])[0]] = append(names(cells[3]), "time", "kind")
		}
	}
	for line := range strings.Lines(byField) {
		if cells := strings.Split(line, "|"); len(cells) == 4 && strings.HasPrefix(cells[1], " `") {
			all = append(all, names(cells[1])...)
		}
	}
	return kinds, all
}

func TestThePageOfEventsNamesAllKindsAndFields(t *testing.T) {
	t.Parallel()
	kinds, all := documented(t)
	if diff := cmp.Diff(constants(t, "events.go", "On"), slices.Sorted(maps.Keys(kinds))); diff != "" {
		t.Errorf("kinds (-code +page):\n%s", diff)
	}
	slices.Sort(all)
	if diff := cmp.Diff(fields(reflect.TypeFor[orchestrator.Event]()), all); diff != "" {
		t.Errorf("fields (-code +page):\n%s", diff)
	}
	for kind, list := range kinds {
		for _, f := range list {
			if !slices.Contains(all, f) {
				t.Errorf("%s has the field %s, which is not in the second table", kind, f)
			}
		}
	}
	for _, p := range []orchestrator.Phase{orchestrator.PhaseBuild, orchestrator.PhaseInstall, orchestrator.PhaseStart, orchestrator.PhasePrepare, orchestrator.PhaseAgent, orchestrator.PhaseCollect, orchestrator.PhaseVerifier,
		orchestrator.PhaseRewards, orchestrator.PhaseTeardown} {
		if data, err := os.ReadFile("../docs/events.md"); err != nil || !strings.Contains(string(data), "`"+string(p)+"`") {
			t.Errorf("phase %s is not on the page", p)
		}
	}
}

// told are the kinds of a run's events, in their order, as events.jsonl has them; each line is held to the page.
func told(t *testing.T, dir string) []string {
	t.Helper()
	kinds, _ := documented(t)
	data, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		var e map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		kind := strings.Trim(string(e["kind"]), `"`)
		for f := range e {
			if !slices.Contains(kinds[kind], f) {
				t.Errorf("%s has the field %s, which the page does not say: %s", kind, f, line)
			}
		}
		out = append(out, kind)
	}
	return out
}

// shift is a run on a pretended engine whose events are looked at.
type shift struct {
	batch orchestrator.Batch
	scene scene
	n     int
	full  bool // the disk is, until that has been told
	heard func(orchestrator.Event)
}

func (h shift) work(ctx context.Context, t *testing.T) (*orchestrator.RunRecord, []string) {
	t.Helper()
	o := options(command("work"))
	jobs, err := orchestrator.Plans(t.Context(), []string{tasks(t, h.n)}, o)
	if err != nil {
		t.Fatal(err)
	}
	var q *orchestrator.Request
	var s *orchestrator.Session
	s, q = beginHeard(t, o, len(jobs), h.batch, func(e orchestrator.Event) {
		if h.heard != nil {
			h.heard(e)
		}
		if e.Kind == orchestrator.OnPaused {
			q.MinFree = 0 // whoever asks for room is the one who tells
		}
	})
	if h.full {
		q.MinFree = 1 << 62
	}
	rec := s.Run(ctx, newEngine(h.scene), jobs)
	return rec, told(t, s.Path())
}

func TestEventsTellARunInOrder(t *testing.T) {
	t.Parallel()
	var first, last orchestrator.Event
	heard := func(e orchestrator.Event) {
		if first.Kind == "" {
			first = e
		}
		last = e
	}
	rec, kinds := shift{n: 2, scene: scene{tests: rewarding(`{"reward": 1}`)}, heard: heard}.work(t.Context(), t)
	trial := []string{"trial_started"}
	for range 7 { // build, start, agent, verifier, collect, rewards, teardown
		trial = append(trial, "phase_started", "phase_finished")
	}
	trial = append(trial, "trial_finished")
	want := slices.Concat([]string{"run_started", "trial_queued", "trial_queued"}, trial, trial, []string{"run_finished"})
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "build_step" })
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if first.Format != orchestrator.EventsFormat || first.SchemaVersion != 1 || first.RunID != rec.RunID || first.Planned != 2 {
		t.Errorf("first %+v", first)
	}
	if last.Status != orchestrator.RunFinished || last.Summary == nil || last.Summary.Complete != 2 {
		t.Errorf("last %+v", last)
	}
}

func TestAnotherTryIsToldAndQueued(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	flaky := scene{up: func(context.Context, *fakeBox) error {
		if tries.Add(1) == 1 {
			return errors.New("the engine stumbles")
		}
		return nil
	}, tests: rewarding(`{"reward": 1}`)}
	var trials []string
	heard := func(e orchestrator.Event) {
		switch e.Kind {
		case orchestrator.OnTrialQueued, orchestrator.OnTrialStarted, orchestrator.OnTrialFinished, orchestrator.OnTrialRetried:
			trials = append(trials, string(e.Kind)+" "+e.Trial+" "+e.CaseID)
		}
	}
	shift{n: 1, scene: flaky, batch: orchestrator.Batch{MaxRetries: 1}, heard: heard}.work(t.Context(), t)
	want := []string{"trial_queued a a", "trial_started a a", "trial_finished a a", "trial_retried a a", "trial_queued a-r1 a", "trial_started a-r1 a", "trial_finished a-r1 a"}
	if diff := cmp.Diff(want, trials); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAPauseIsToldAndItsEnd(t *testing.T) {
	t.Parallel()
	rec, kinds := shift{n: 1, scene: scene{tests: rewarding(`{"reward": 1}`)}, batch: orchestrator.Batch{EngineWait: time.Minute}, full: true}.work(t.Context(), t)
	at, on := slices.Index(kinds, "paused"), slices.Index(kinds, "resumed")
	if at < 0 || on < at || slices.Index(kinds, "trial_started") < on || rec.Summary.Complete != 1 {
		t.Errorf("%q, %+v", kinds, rec.Summary)
	}
}

func TestAnInterruptIsToldAndTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stops := scene{agent: func(ctx context.Context, _ *process) (*shim.Report, error) {
		cancel(&orchestrator.InterruptedError{Signal: "SIGINT"})
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	var last orchestrator.Event
	_, kinds := shift{n: 2, scene: stops, heard: func(e orchestrator.Event) { last = e }}.work(ctx, t)
	if !slices.Contains(kinds, "interrupted") || last.Kind != orchestrator.OnRunFinished || last.Status != orchestrator.RunInterrupted || last.Summary.Missing != 1 {
		t.Errorf("%q, %+v", kinds, last)
	}
}
