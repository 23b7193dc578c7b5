package orchestrator_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/internal/terminal"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// person sits at a terminal that is only pretended.
type person struct {
	lent int
	seen bytes.Buffer
}

func (p *person) Lend(use func(*terminal.Screen) error) error {
	p.lent++
	return use(&terminal.Screen{In: terminal.Input(strings.NewReader("")), Out: &p.seen})
}

// example plans one of the sample tasks.
func example(t *testing.T, name string, change ...func(*orchestrator.Options)) *orchestrator.Plan {
	t.Helper()
	return planOf(t, filepath.Join("..", "..", "..", "testdata", "tasks", name), change...)
}

// stays is a person who leaves the shell after a while, with an exit code that means nothing.
func stays(d time.Duration) func(context.Context, *fakeBox) (int, error) {
	return func(ctx context.Context, _ *fakeBox) (int, error) { return 3, wait(ctx, d) }
}

func TestATrialIsPausedForALookInside(t *testing.T) {
	pass := reward(`{"reward": 1}`)
	for _, c := range []struct {
		name, task string // empty = plain
		look       orchestrator.Look
		scene      scene
		before     string   // the phases that had begun
		in         []string // where the shells were, one a visit
		want       ending
	}{
		{name: "before the agent", look: orchestrator.Look{Before: orchestrator.PhaseAgent}, scene: scene{tests: pass}, before: "build start", in: []string{"main"},
			want: ending{score: 1}},
		{name: "before the tests", look: orchestrator.Look{Before: orchestrator.PhaseVerifier}, scene: scene{tests: pass}, before: "build start agent", in: []string{"main"},
			want: ending{score: 1}},
		{name: "before a trial that scored goes", look: orchestrator.Look{Before: orchestrator.PhaseTeardown}, scene: scene{tests: pass}, before: "build start agent verifier collect rewards", in: []string{"main"},
			want: ending{score: 1}},
		{name: "before a trial that failed goes", look: orchestrator.Look{Before: orchestrator.PhaseTeardown}, scene: scene{tests: exits(1)}, before: "build start agent verifier collect rewards", in: []string{"main"},
			want: ending{score: noScore, code: "reward_missing", phase: "verifier"}},
		{name: "in another service", task: "beside", look: orchestrator.Look{Before: orchestrator.PhaseAgent, Service: "store"}, scene: scene{tests: pass}, before: "build start", in: []string{"store"},
			want: ending{score: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const stay = time.Hour // beyond every limit
				who, begun := &person{}, ""
				h := newHouse(t, c.scene)
				h.eng.visit = func(ctx context.Context, b *fakeBox) (int, error) {
					begun = h.phases()
					return stays(stay)(ctx, b)
				}
				c.look.Terminal, c.look.Kind = who, "xterm-256color"
				h.Look = &c.look
				task := c.task
				if task == "" {
					task = "plain"
				}
				p := planOf(t, task)
				rec := h.play(t.Context(), t, p)
				c.want.warnings, c.want.phases = []string{"paused"}, h.phases()
				check(t, h, rec, c.want)
				var in []string
				for _, v := range h.eng.all[0].visits {
					in = append(in, v.service)
					if v.Argv[0] != "sh" || v.Screen == nil || v.Env["TERM"] != "xterm-256color" {
						t.Errorf("visit %+v", v.Visit)
					}
				}
				if diff := cmp.Diff(c.in, in); diff != "" || begun != c.before || who.lent != len(c.in) {
					t.Errorf("after %q, lent %d times, (-want +got):\n%s", begun, who.lent, diff)
				}
				if total := rec.Case.Timing.Total; total >= stay.Seconds() || rec.FinishedAt.Sub(rec.StartedAt) < stay {
					t.Errorf("the trial took %.0f s in all, from %v to %v", total, rec.StartedAt, rec.FinishedAt)
				}
				if text := rec.Case.Warnings[0].Message; !strings.Contains(text, "before the "+string(c.look.Before)+" for 3600.0 s") {
					t.Errorf("the record says %q", text)
				}
			})
		})
	}
}

func TestALookAtTestsThatAreApart(t *testing.T) {
	for _, c := range []struct {
		before  orchestrator.Phase
		service string
		stacks  int // that are there
		in      int // which of them it is
	}{
		{orchestrator.PhaseVerifier, "", 1, 0},
		{orchestrator.PhaseVerifier, "verifier/main", 1, 1}, // the agent is out of the way
		{orchestrator.PhaseTeardown, "", 2, 0},
		{orchestrator.PhaseTeardown, "verifier/main", 2, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
			there := 0
			h.eng.visit = func(context.Context, *fakeBox) (int, error) { there = h.eng.left(); return 0, nil }
			h.Look = &orchestrator.Look{Before: c.before, Service: c.service, Terminal: &person{}}
			rec := h.play(t.Context(), t, example(t, "separate"))
			if rec.Case.Error != nil {
				t.Fatalf("%s %q: %+v", c.before, c.service, rec.Case.Error)
			}
			for i, b := range h.eng.all {
				if want := map[bool]int{true: 1}[i == c.in]; len(b.visits) != want {
					t.Errorf("%s %q: %d visits to stack %d", c.before, c.service, len(b.visits), i)
				}
			}
			if there != c.stacks {
				t.Errorf("%s %q: %d stacks were there", c.before, c.service, there)
			}
		})
	}
}

func TestEachStepIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := &person{}
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		h.Look = &orchestrator.Look{Before: orchestrator.PhaseAgent, Terminal: who}
		p := example(t, "steps")
		rec := h.play(t.Context(), t, p)
		if rec.Case.Error != nil || who.lent != len(p.Steps) || !strings.Contains(rec.Case.Warnings[0].Message, "agent of step "+p.Steps[0].Part.Name) {
			t.Errorf("lent %d times for %d steps: %+v %+v", who.lent, len(p.Steps), rec.Case.Error, rec.Case.Warnings)
		}
	})
}

func TestAnInterruptInTheShellEndsTheTrial(t *testing.T) {
	for _, before := range orchestrator.LookPhases() {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
			h.eng.visit = func(ctx context.Context, _ *fakeBox) (int, error) {
				cancel(&orchestrator.InterruptedError{Signal: "SIGTERM"})
				return 0, forever(ctx)
			}
			h.Look = &orchestrator.Look{Before: before, Terminal: &person{}}
			rec := h.play(ctx, t, planOf(t, "plain"))
			scored := before == orchestrator.PhaseTeardown // all was done
			if (rec.Case.Error == nil) != scored || !scored && rec.Case.Error.Code != "interrupted" || h.eng.left() != 0 {
				t.Errorf("before the %s: %+v, %d left", before, rec.Case.Error, h.eng.left())
			}
		})
	}
}

func TestAShellThatIsLostDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
		h.eng.visit = func(context.Context, *fakeBox) (int, error) { return 0, engineGone() }
		h.Look = &orchestrator.Look{Before: orchestrator.PhaseAgent, Terminal: &person{}}
		rec := h.play(t.Context(), t, planOf(t, "plain"))
		check(t, h, rec, ending{score: 1, warnings: []string{"paused"}})
		if !strings.Contains(rec.Case.Warnings[0].Message, "lost") || !h.told("the shell is gone: ") {
			t.Errorf("%+v", rec.Case.Warnings)
		}
	})
}

func TestWhatNeverStartedIsNotLookedInto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := &person{}
		h := newHouse(t, scene{image: func(context.Context, orchestrator.Source, io.Writer) error { return errors.New("no such image") }})
		h.Look = &orchestrator.Look{Before: orchestrator.PhaseTeardown, Terminal: who}
		h.play(t.Context(), t, planOf(t, "plain"))
		if who.lent != 0 || !h.told("there is nothing to look into") {
			t.Errorf("lent %d times", who.lent)
		}
	})
}

func TestALookIsAtOneTrial(t *testing.T) {
	for _, c := range []struct {
		name  string
		paths []string
		look  orchestrator.Look
		k     int
		says  string // empty = it is tried, and there is no engine
	}{
		{"two tasks", []string{tasks(t, 2)}, orchestrator.Look{Before: orchestrator.PhaseAgent}, 0, "2 are planned"},
		{"three trials of one", []string{tasks(t, 1)}, orchestrator.Look{Before: orchestrator.PhaseAgent}, 3, "3 are planned"},
		{"a service that is misspelt", []string{"testdata/tasks/beside"}, orchestrator.Look{Before: orchestrator.PhaseAgent, Service: "stroe"}, 0, "did you mean store?"},
		{"a service that is nothing like one", []string{"testdata/tasks/beside"}, orchestrator.Look{Before: orchestrator.PhaseAgent, Service: "quite-else"}, 0, "there is main, store"},
		{"the tests' stack before there is one", []string{"../testdata/tasks/separate"}, orchestrator.Look{Before: orchestrator.PhaseAgent, Service: "verifier/main"}, 0, "before the agent"},
		{"the tests' stack", []string{"../testdata/tasks/separate"}, orchestrator.Look{Before: orchestrator.PhaseVerifier, Service: "verifier/main"}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := &orchestrator.Request{Paths: c.paths, Options: *options(nop), RunsDir: t.TempDir(), Batch: orchestrator.Batch{Trials: c.k}, Look: &c.look,
				Host: sidecar.Host{Address: "unix:///nonexistent", Source: "test"}}
			_, _, err := orchestrator.Run(t.Context(), q)
			var u *orchestrator.UsageError
			if errors.As(err, &u) != (c.says != "") || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}
