package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestErrandsAreTakenInOrderAndComeBackLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := orchestrator.NewQueue("a", "b")
		first, _ := q.Next(t.Context())
		q.Again(first, time.Minute)
		second, _ := q.Next(t.Context())
		began := time.Now()
		got := make(chan string, 2)
		go func() {
			for {
				name, ok := q.Next(t.Context())
				if !ok {
					close(got)
					return
				}
				got <- name
				q.Done()
			}
		}()
		synctest.Wait()
		if first != "a" || second != "b" || len(got) > 0 {
			t.Fatalf("%s, %s, and %d more", first, second, len(got))
		}
		q.Done() // the second: the first is still to come back
		if name := <-got; name != "a" || time.Since(began) < time.Minute {
			t.Errorf("%s after %s", name, time.Since(began))
		}
		if _, more := <-got; more {
			t.Error("there was another one")
		}
	})
}

func TestAStoppedQueueHandsOutNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := orchestrator.NewQueue("a", "b")
		name, _ := q.Next(t.Context())
		q.Again(name, time.Hour)
		q.Stop("enough")
		q.Stop("later")
		if _, ok := q.Next(t.Context()); ok || q.Why() != "enough" {
			t.Errorf("%v %q", ok, q.Why())
		}
	})
	q := orchestrator.NewQueue("a")
	_, _ = q.Next(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := q.Next(ctx); ok {
		t.Error("an errand after the end of the context")
	}
}

func TestBackOffGrows(t *testing.T) {
	t.Parallel()
	var got []string
	for n := range 9 {
		got = append(got, orchestrator.BackOff(n).String())
	}
	if s := strings.Join(got, " "); s != "5s 10s 20s 40s 1m20s 2m40s 5m0s 5m0s 5m0s" {
		t.Error(s)
	}
}

func trialOf(n int, score *float64, code string) orchestrator.Case {
	c := orchestrator.Case{ID: "c", Trial: n, Status: orchestrator.Complete, Score: score}
	if code != "" {
		c.Status, c.Error = orchestrator.Incomplete, &orchestrator.Fault{Code: code}
	}
	return c
}

func TestSeveralTrialsMakeOneCase(t *testing.T) {
	t.Parallel()
	v := func(f float64) *float64 { return &f }
	for _, c := range []struct {
		name    string
		trials  []orchestrator.Case
		wanted  int
		partial bool
		want    string
	}{
		{"all complete", []orchestrator.Case{trialOf(1, v(1), ""), trialOf(2, v(0), "")}, 2, false, "complete 0.5"},
		{"one without a score", []orchestrator.Case{trialOf(1, v(1), ""), trialOf(2, nil, "")}, 2, false, "complete 1"},
		{"none with a score", []orchestrator.Case{trialOf(1, nil, ""), trialOf(2, nil, "")}, 2, false, "complete none"},
		{"one incomplete", []orchestrator.Case{trialOf(1, v(1), ""), trialOf(2, nil, "sandbox_lost")}, 2, false, "incomplete sandbox_lost"},
		{"one incomplete, which may be", []orchestrator.Case{trialOf(1, v(1), ""), trialOf(2, nil, "sandbox_lost")}, 2, true, "complete 1"},
		{"one missing", []orchestrator.Case{trialOf(1, v(1), "")}, 2, false, "incomplete interrupted"},
		{"one missing, which may be", []orchestrator.Case{trialOf(1, v(1), "")}, 2, true, "complete 1"},
		{"all incomplete", []orchestrator.Case{trialOf(1, nil, "internal")}, 1, true, "incomplete internal"},
	} {
		g := orchestrator.Group(c.trials, c.wanted, c.partial)
		got := g.Status
		switch {
		case g.Error != nil:
			got += " " + g.Error.Code
		case g.Score != nil:
			got += fmt.Sprintf(" %g", *g.Score)
		default:
			got += " none"
		}
		if got != c.want || len(g.Trials) != len(c.trials) || g.Trial != 0 {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// batch plays n tasks, a, b and so on, on a pretended engine.
func batch(ctx context.Context, t *testing.T, b orchestrator.Batch, n int, sc scene) (*orchestrator.RunRecord, []orchestrator.Event, *fakeEngine) {
	t.Helper()
	o := options(command("work"))
	jobs, err := orchestrator.Plans(t.Context(), []string{tasks(t, n)}, o)
	if err != nil {
		t.Fatal(err)
	}
	s, events := beginBatch(t, o, len(jobs), b)
	e := newEngine(sc)
	rec := s.Run(ctx, e, jobs)
	return rec, *events, e
}

func rewarding(text string) act { return writes("/logs/verifier/reward.json", text) }

func TestTrialsGoBesideOneAnother(t *testing.T) {
	t.Parallel()
	var under, most atomic.Int32
	rec, _, e := batch(t.Context(), t, orchestrator.Batch{Parallel: 3, Trials: 2}, 4, scene{agent: func(context.Context, *process) (*shim.Report, error) {
		n := under.Add(1)
		defer under.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		for began := time.Now(); most.Load() < 3 && time.Since(began) < 10*time.Second; {
			time.Sleep(time.Millisecond)
		}
		return nil, nil
	}, tests: rewarding(`{"reward": 1}`)})
	if most.Load() != 3 || e.left() > 0 {
		t.Errorf("%d at a time, %d are left", most.Load(), e.left())
	}
	if len(rec.Cases) != 4 || rec.Summary.Trials == nil || rec.Summary.Trials.Complete != 8 || rec.Summary.Trials.Missing != 0 || rec.Summary.Missing != 0 {
		t.Errorf("%d cases, %+v", len(rec.Cases), rec.Summary.Trials)
	}
	for _, c := range rec.Cases {
		if len(c.Trials) != 2 || c.Trials[0].Trial != 1 || c.Trials[1].Trial != 2 || c.Trials[0].Artifacts.Trial == c.Trials[1].Artifacts.Trial {
			t.Errorf("%+v", c.Trials)
		}
	}
	if !slices.IsSortedFunc(rec.Cases, func(a, b orchestrator.Case) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the cases are out of order")
	}
}

func TestAMachinesFaultIsTriedAgainAndAnAgentsIsNot(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	flaky := scene{up: func(context.Context, *fakeBox) error {
		if tries.Add(1) == 1 {
			return errors.New("the engine stumbles")
		}
		return nil
	}, tests: rewarding(`{"reward": 1}`)}
	rec, events, _ := batch(t.Context(), t, orchestrator.Batch{MaxRetries: 2}, 1, flaky)
	c := rec.Cases[0]
	if c.Status != orchestrator.Complete || len(c.Tries) != 1 || c.Tries[0].Code != orchestrator.CodeSetupFailed || c.Tries[0].Trial == c.Artifacts.Trial || tries.Load() != 2 {
		t.Errorf("%d tries: %+v", tries.Load(), c)
	}
	if !slices.ContainsFunc(events, func(e orchestrator.Event) bool { return strings.Contains(e.Text, "it is tried again, 1 of 2") }) {
		t.Error("nobody was told")
	}
	tries.Store(0)
	if rec, _, _ := batch(t.Context(), t, orchestrator.Batch{}, 1, flaky); rec.Cases[0].Status == orchestrator.Complete {
		t.Error("it was tried again although nobody asked for that")
	}
	rec, _, e := batch(t.Context(), t, orchestrator.Batch{MaxRetries: 2}, 1, scene{tests: rewarding(`{"reward": 7}`)})
	if c := rec.Cases[0]; c.Error == nil || c.Error.Code != orchestrator.CodeRewardInvalid || len(c.Tries) > 0 || len(e.all) != 1 {
		t.Errorf("a verdict was tried again: %+v", c)
	}
}

func TestABatchStopsWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	bad := scene{tests: rewarding(`{"reward": 7}`)}
	for _, c := range []struct {
		name  string
		b     orchestrator.Batch
		cases int
		why   string
	}{
		{"at the first", orchestrator.Batch{FailFast: true}, 1, "--fail-fast"},
		{"after two", orchestrator.Batch{MaxIncomplete: 2}, 3, "--max-incomplete 2"},
		{"past its time", orchestrator.Batch{Deadline: time.Now().Add(-time.Second)}, 0, "--deadline"},
		{"never", orchestrator.Batch{}, 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rec, _, _ := batch(t.Context(), t, c.b, 5, bad)
			if len(rec.Cases) != c.cases || rec.Summary.Missing != 5-c.cases || !strings.HasPrefix(rec.Stopped, c.why) || (rec.Stopped == "") != (c.why == "") {
				t.Errorf("%d cases, stopped %q", len(rec.Cases), rec.Stopped)
			}
		})
	}
}

func TestWhatWaitsForRoomIsNotStartedAfterAStop(t *testing.T) {
	t.Parallel()
	bad := scene{agent: takes(300 * time.Millisecond), tests: rewarding(`{"reward": 7}`)}
	rec, _, e := batch(t.Context(), t, orchestrator.Batch{Parallel: 2, FailFast: true}, 8, bad)
	if len(e.all) > 4 || len(rec.Cases) != len(e.all) || rec.Summary.Missing != 8-len(e.all) {
		t.Errorf("%d stacks, %d cases, %d missing", len(e.all), len(rec.Cases), rec.Summary.Missing)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	slow := scene{agent: func(context.Context, *process) (*shim.Report, error) {
		cancel(&orchestrator.InterruptedError{Signal: "SIGINT"})
		return nil, nil
	}}
	rec, events, e := batch(ctx, t, orchestrator.Batch{Parallel: 1, Builds: 1}, 4, slow)
	if len(rec.Cases)+rec.Summary.Missing != 4 || len(rec.Cases) != len(e.all) {
		t.Errorf("%d stacks, %d cases, %d missing", len(e.all), len(rec.Cases), rec.Summary.Missing)
	}
	for _, ev := range events {
		if ev.Kind == orchestrator.OnTrialFinished && ev.Case == nil && rec.Summary.Missing == 0 {
			t.Error("a trial that was never started is told as one that was")
		}
	}
}

func TestThoseThatTookLongestBeforeComeFirst(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	for id, text := range map[string]string{
		"20260101T000000Z-a": `{"id": "a", "timing": {"total": 900}}, {"id": "b", "timing": {"total": 20}}`,
		"20260102T000000Z-b": `{"id": "a", "timing": {"total": 1}}, {"id": "c", "timing": {"total": 90}, "trials": [{}, {}, {}]}`,
		"20260103T000000Z-c": `oops`,
	} {
		if err := os.MkdirAll(filepath.Join(runs, id), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(runs, id, "run.json"), []byte(`{"format": "seatrial-run", "schema_version": 1, "cases": [`+text+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	jobs, err := orchestrator.Plans(t.Context(), []string{tasks(t, 4)}, options(command("work")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		b    orchestrator.Batch
		want string
	}{
		{orchestrator.Batch{Parallel: 2}, "c b a d"},
		{orchestrator.Batch{Parallel: 2, Trials: 2}, "c-1 b-1 a-1 d-1 c-2 b-2 a-2 d-2"},
		{orchestrator.Batch{Parallel: 8}, "a b c d"}, // all have room at once
		{orchestrator.Batch{}, "a b c d"},
	} {
		if got := strings.Join(orchestrator.Order(&orchestrator.Request{Batch: c.b, RunsDir: runs}, jobs), " "); got != c.want {
			t.Errorf("%+v: %s", c.b, got)
		}
	}
}
