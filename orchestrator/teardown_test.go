package orchestrator_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

func TestALeakStandsBesideTheScore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := []string{"container 0123456789ab (seatrial-x-main)"}
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`), down: func(context.Context) error { return &sidecar.LeakError{Left: left, Cause: errGone} }})
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		check(t, h, rec, ending{score: 1, warnings: []string{"teardown_leak"}})
		if diff := cmp.Diff(left, rec.Leaks); diff != "" {
			t.Errorf("leaks (-want +got):\n%s", diff)
		}
	})
}

func TestALeakNeverReplacesTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: exits(1), down: func(context.Context) error { return &sidecar.LeakError{Cause: errGone} }})
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		check(t, h, rec, ending{score: noScore, code: "reward_missing", phase: "verifier", warnings: []string{"teardown_leak"}})
		if len(rec.Leaks) != 1 || !strings.HasPrefix(rec.Leaks[0], "unknown: ") {
			t.Errorf("leaks = %q", rec.Leaks)
		}
	})
}

func TestARemovalThatHangsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`), down: forever})
		started := time.Now()
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		if took := time.Since(started); took != time.Minute {
			t.Errorf("it took %v, and the limit is a minute", took)
		}
		check(t, h, rec, ending{score: 1, warnings: []string{"teardown_leak"}})
		if len(rec.Leaks) == 0 {
			t.Error("what hangs is a leak, and the record has none")
		}
	})
}

func TestRemovalRunsThoughTheParentHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var saw error
		h := newHouse(t, scene{agent: acts(calls(cancel), hangs()), down: func(ctx context.Context) error { saw = ctx.Err(); return wait(ctx, 5*time.Second) }})
		rec := h.play(ctx, t, planOf(t, "plain"))
		if saw != nil || len(rec.Leaks) != 0 || h.eng.left() != 0 {
			t.Errorf("the removal saw %v, leaks %q, %d left", saw, rec.Leaks, h.eng.left())
		}
	})
}

func TestTheWatchEndsBeforeTheRemoval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		var left bool
		h.eng.down = func(context.Context) error { left = h.eng.all[0].left; return nil }
		h.play(t.Context(), t, planOf(t, "plain"))
		if !left {
			t.Error("the stack was removed while its containers' deaths were still news")
		}
	})
}

func TestKeepPolicies(t *testing.T) {
	pass, half, zero, none := reward(`{"reward": 1}`), reward(`{"reward": 0.5}`), reward(`{"reward": 0}`), exits(1)
	for _, c := range []struct {
		name  string
		keep  string
		tests act
		want  bool
	}{
		{"nothing is kept without a word", "", none, false},
		{"failed keeps an incomplete trial", "failed", none, true},
		{"failed keeps a score of 0", "failed", zero, true},
		{"failed removes a partial score", "failed", half, false},
		{"failed removes a full score", "failed", pass, false},
		{"always keeps a full score", "always", pass, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, scene{tests: c.tests})
				h.Keep = c.keep
				rec := h.play(t.Context(), t, planOf(t, "plain"))
				if rec.Kept != c.want || h.eng.all[0].kept != c.want || (h.eng.left() == 1) != c.want {
					t.Errorf("kept: record %v, stack %v, %d left; want %v", rec.Kept, h.eng.all[0].kept, h.eng.left(), c.want)
				}
				if told := h.told("kept " + rec.TrialID); told != c.want {
					t.Errorf("somebody is told how to look inside: %v, want %v", told, c.want)
				}
			})
		})
	}
}

func TestHowLongAStackIsKept(t *testing.T) {
	for _, d := range []time.Duration{0, 2 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
			h.Keep, h.KeepFor = "always", d
			p := planOf(t, "plain")
			rec := h.play(t.Context(), t, p)
			if until := h.eng.all[0].until; until.IsZero() != (d == 0) || d > 0 && (rec.KeptUntil == nil || !until.Equal(*rec.KeptUntil) || until.Sub(rec.FinishedAt) != d) {
				t.Errorf("kept for %s: until %v, and %v in the record of %v", d, until, rec.KeptUntil, rec.FinishedAt)
			}
			if how := "look inside with `seatrial enter " + h.Folder.Path + "/plain`"; !h.mentioned(how) {
				t.Errorf("nobody is told: %s", how)
			}
		})
	}
}

func TestWhatNeverStartedIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{up: func(_ context.Context, b *fakeBox) error { b.ids = map[string]string{}; return dead("main") }})
		h.Keep = "always"
		if rec := h.play(t.Context(), t, planOf(t, "plain")); rec.Kept {
			t.Error("a trial without a container was kept")
		}
	})
}

func TestAnInterruptedTrialIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		h := newHouse(t, scene{agent: acts(calls(func() { cancel(&orchestrator.InterruptedError{Signal: "SIGINT"}) }), hangs())})
		h.Keep = "always"
		if rec := h.play(ctx, t, planOf(t, "plain")); rec.Kept {
			t.Error("an interrupted trial was kept")
		}
	})
}

func TestWhatCannotBeKeptIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`), keep: func(context.Context) error { return errors.New("pause service main: not supported") }})
		h.Keep = "always"
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		check(t, h, rec, ending{score: 1, warnings: []string{"keep_failed"}})
		if rec.Kept || h.eng.left() != 0 {
			t.Errorf("kept %v, %d left", rec.Kept, h.eng.left())
		}
	})
}

func TestWhatHangsWhenItIsKeptIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`), keep: forever})
		h.Keep = "always"
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		check(t, h, rec, ending{score: 1, warnings: []string{"keep_failed"}})
		if rec.Kept || len(rec.Leaks) != 0 || h.eng.left() != 0 {
			t.Errorf("kept %v, leaks %q, %d left", rec.Kept, rec.Leaks, h.eng.left())
		}
	})
}

func TestTheRecordIsThereWhenTheTrialIsToldAsFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		p := planOf(t, "plain")
		there := false
		h.Tell = func(e orchestrator.Event) {
			h.tell(e)
			if e.Kind == orchestrator.OnTrialFinished {
				_, err := os.Stat(h.path(p, "trial.json"))
				there = err == nil
			}
		}
		h.play(t.Context(), t, p)
		if !there {
			t.Error("who reads trial.json at that event finds none")
		}
	})
}

// told says whether an event's text begins so.
func (h *house) told(prefix string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if strings.HasPrefix(e.Text, prefix) {
			return true
		}
	}
	return false
}

// mentioned says whether an event's text has a part.
func (h *house) mentioned(part string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if strings.Contains(e.Text, part) {
			return true
		}
	}
	return false
}
