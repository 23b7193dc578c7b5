package orchestrator_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestInterruptInEachPhase(t *testing.T) {
	pass := reward(`{"reward": 1}`)
	for _, c := range []struct {
		name  string
		scene func(stop func()) scene
		want  ending
	}{
		{
			name: "during the build",
			scene: func(stop func()) scene {
				return scene{image: func(ctx context.Context, _ orchestrator.Source, _ io.Writer) error { stop(); return forever(ctx) }}
			},
			want: ending{score: noScore, code: "interrupted", phase: "setup", phases: "build teardown"},
		},
		{
			name: "while the stack starts",
			scene: func(stop func()) scene {
				return scene{up: func(ctx context.Context, _ *fakeBox) error { stop(); return forever(ctx) }}
			},
			want: ending{score: noScore, code: "interrupted", phase: "setup", phases: "build start teardown"},
		},
		{
			name:  "while the agent works",
			scene: func(stop func()) scene { return scene{agent: acts(calls(stop), hangs()), tests: pass} },
			want:  ending{score: noScore, code: "interrupted", phase: "agent", phases: "build start agent teardown"},
		},
		{
			name: "while the agent works, and the engine's error comes first",
			scene: func(stop func()) scene {
				return scene{agent: acts(calls(stop), fails(engineGone())), tests: pass}
			},
			want: ending{score: noScore, code: "interrupted", phase: "agent", phases: "build start agent teardown"},
		},
		{
			name:  "while the tests run, after they wrote a reward",
			scene: func(stop func()) scene { return scene{tests: acts(pass, calls(stop), hangs())} },
			want:  ending{score: noScore, code: "interrupted", phase: "verifier", phases: "build start agent verifier teardown"},
		},
		{
			name: "while the logs are fetched",
			scene: func(stop func()) scene {
				return scene{tests: pass, fetch: func(ctx context.Context, _ string) error { stop(); return forever(ctx) }}
			},
			want: ending{score: noScore, code: "interrupted", phase: "collect", phases: "build start agent verifier collect teardown"},
		},
		{
			name: "while the stack is removed, which changes nothing",
			scene: func(stop func()) scene {
				return scene{tests: pass, down: func(ctx context.Context) error { stop(); return wait(ctx, time.Second) }}
			},
			want: ending{score: 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				h := newHouse(t, c.scene(func() { cancel(&orchestrator.InterruptedError{Signal: "SIGTERM"}) }))
				started := time.Now()
				rec := h.play(ctx, t, planOf(t, "plain"))
				check(t, h, rec, c.want)
				if e := rec.Case.Error; e != nil && !strings.Contains(e.Message, "SIGTERM") {
					t.Errorf("the message does not name the signal: %s", e.Message)
				}
				if took := time.Since(started); took > 10*time.Second {
					t.Errorf("an interrupted trial took %v to end", took)
				}
				h.removedOnce(t, rec)
			})
		})
	}
}

func TestATrialThatBeginsInterruptedStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(&orchestrator.InterruptedError{Signal: "SIGINT"})
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		rec := h.play(ctx, t, planOf(t, "plain"))
		check(t, h, rec, ending{score: noScore, code: "interrupted", phase: "setup", phases: "build teardown"})
		if len(h.eng.all) != 0 {
			t.Errorf("%d stacks were brought up", len(h.eng.all))
		}
	})
}

func TestAnInterruptedAgentsLogsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stop := func() { cancel(&orchestrator.InterruptedError{Signal: "SIGINT"}) }
		h := newHouse(t, scene{agent: acts(writes("/logs/agent/notes.txt", "so far\n"), prints("working\n"), calls(stop), hangs())})
		p := planOf(t, "plain", command("work"))
		h.play(ctx, t, p)
		if got := h.file(t, p, "agent", "notes.txt"); got != "so far\n" {
			t.Errorf("notes.txt = %q", got)
		}
		if got := h.file(t, p, "agent", "stdout.log"); got != "working\n" {
			t.Errorf("stdout.log = %q", got)
		}
	})
}

func TestAnInterruptWaitsOnlyShortlyForLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stop := func() { cancel(&orchestrator.InterruptedError{Signal: "SIGINT"}) }
		h := newHouse(t, scene{agent: acts(calls(stop), hangs()), fetch: func(ctx context.Context, _ string) error { return forever(ctx) }})
		started := time.Now()
		rec := h.play(ctx, t, planOf(t, "plain"))
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("logs that do not come held an interrupted trial for %v", took)
		}
		check(t, h, rec, ending{score: noScore, code: "interrupted", phase: "agent", phases: "build start agent teardown", warnings: codes(rec)})
	})
}

func TestALateResultOfACutOffPhaseIsAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		h := newHouse(t, scene{tests: acts(reward(`{"reward": 1}`), func(context.Context, *process) (*shim.Report, error) { return &shim.Report{}, nil })})
		h.eng.fetch = func(context.Context, string) error { return nil }
		// The interrupt comes when all is fetched and only the pure judging is left.
		h.Tell = func(e orchestrator.Event) {
			h.tell(e)
			if e.Kind == orchestrator.OnPhaseFinished && e.Phase == orchestrator.PhaseCollect {
				cancel(&orchestrator.InterruptedError{Signal: "SIGINT"})
			}
		}
		rec := h.play(ctx, t, planOf(t, "plain"))
		check(t, h, rec, ending{score: 1})
	})
}
