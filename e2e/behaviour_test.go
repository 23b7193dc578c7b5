package e2e_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// behaviour is one task, how it is run, and what has to come of it.
type behaviour struct {
	name string // a sentence
	task string // a txtar archive, see makeTask
	args []string
	want outcome
	// check looks at what outcome cannot say.
	check func(t *testing.T, r *ran)
}

// outcome is the end of a run of one trial. The zero value is a score of 0.
type outcome struct {
	score float64
	// code and phase of the fault; an empty code means that the case is complete.
	code, phase string
	exit        int
	warns       []string // codes
	says        []string // parts of the console's text
}

// behave runs every behaviour as a subtest.
func behave(t *testing.T, list []behaviour) {
	t.Helper()
	for _, b := range list {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			if shared.tasks != "" {
				makeTask(t, filepath.Join(shared.tasks, strings.NewReplacer(" ", "-", "/", "").Replace(b.name)), b.task)
			}
			r := seatrialRun(t, append(slices.Clone(b.args), newTask(t, "task", b.task))...)
			expect(t, r, b.want)
			if b.check != nil && !t.Failed() {
				b.check(t, r)
			}
			if t.Failed() {
				t.Logf("console:\n%s\ncases: %s", r.stderr, describe(r))
			}
		})
	}
}

func expect(t *testing.T, r *ran, want outcome) {
	t.Helper()
	if want.code != "" && want.exit == 0 {
		want.exit = 3
	}
	if r.code != want.exit {
		t.Errorf("exit code %d, want %d", r.code, want.exit)
	}
	c := r.only(t)
	if r.record.Status != "finished" || r.record.FinishedAt == nil || len(r.record.Leaks) > 0 {
		t.Errorf("run status %s, finished at %v, leaks %v", r.record.Status, r.record.FinishedAt, r.record.Leaks)
	}
	switch {
	case want.code == "" && c.Error != nil:
		t.Errorf("error %s in phase %s, want score %g: %s", c.Error.Code, c.Error.Phase, want.score, c.Error.Message)
	case want.code == "" && c.Score == nil:
		t.Errorf("no score, want %g", want.score)
	case want.code == "" && *c.Score != want.score:
		t.Errorf("score %g, want %g", *c.Score, want.score)
	case want.code != "" && c.Error == nil:
		t.Errorf("score %v, want error %s", c.Score, want.code)
	case want.code != "" && (c.Error.Code != want.code || c.Error.Phase != want.phase):
		t.Errorf("error %s in phase %s, want %s in phase %s: %s", c.Error.Code, c.Error.Phase, want.code, want.phase, c.Error.Message)
	}
	for _, w := range want.warns {
		if !c.warned(w) {
			t.Errorf("no warning %s in %+v", w, c.Warnings)
		}
	}
	for _, s := range want.says {
		if !strings.Contains(r.stderr, s) {
			t.Errorf("the console does not say %q", s)
		}
	}
}

func describe(r *ran) string {
	var b strings.Builder
	for _, c := range r.record.Cases {
		fmt.Fprintf(&b, "%s %s error=%+v warnings=%+v timing=%+v\n", c.ID, c.Status, c.Error, c.Warnings, c.Timing)
	}
	return b.String()
}

func sprint(v any) string { return fmt.Sprint(v) }
