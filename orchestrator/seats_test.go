package orchestrator_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/lock"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// others has a slot of the host, as another process would, and gives it back.
func others(t *testing.T) (giveBack func()) {
	t.Helper()
	giveBack, err := lock.NewSlots(1).Take(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return giveBack
}

func waits(e orchestrator.Event) bool {
	return strings.Contains(e.Text, "waiting for a slot of the host")
}

func TestTrialsWaitForASlotOfTheHost(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	giveBack := others(t)
	const held = 1500 * time.Millisecond
	var under, most atomic.Int32
	began := time.Now()
	time.AfterFunc(held, giveBack)
	rec, events, _ := batch(t.Context(), t, orchestrator.Batch{Parallel: 3, HostSlots: 1}, 3, scene{agent: func(context.Context, *process) (*shim.Report, error) {
		if n := under.Add(1); n > most.Load() {
			most.Store(n)
		}
		if time.Since(began) < held {
			t.Error("it did not wait")
		}
		time.Sleep(10 * time.Millisecond)
		under.Add(-1)
		return nil, nil
	}, tests: rewarding(`{"reward": 1}`)})
	if most.Load() != 1 {
		t.Errorf("%d at a time", most.Load())
	}
	for _, c := range rec.Cases {
		if c.Status != orchestrator.Complete || c.Timing.Queued == nil || c.Timing.Total >= *c.Timing.Queued {
			t.Errorf("%s: queued %v, total %g: the wait is no part of the trial's time", c.ID, c.Timing.Queued, c.Timing.Total)
		}
	}
	if len(rec.Cases) != 3 || !slices.ContainsFunc(events, waits) {
		t.Errorf("%d cases; told: %v", len(rec.Cases), slices.ContainsFunc(events, waits))
	}
	others(t)() // all were given back
}

func TestAnInterruptEndsTheWaitForASlot(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	defer others(t)()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, &orchestrator.InterruptedError{Signal: "SIGINT"})
	defer cancel()
	began := time.Now()
	rec, _, e := batch(ctx, t, orchestrator.Batch{HostSlots: 1}, 2, scene{})
	if rec.Status != orchestrator.RunInterrupted || len(rec.Cases) != 0 || rec.Summary.Missing != 2 || len(e.all) != 0 {
		t.Errorf("%s, %d cases, %d missing, %d stacks", rec.Status, len(rec.Cases), rec.Summary.Missing, len(e.all))
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
