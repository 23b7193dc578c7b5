package compare_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/compare"
)

func TestOutcomesOfAPair(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		was, now orchestrator.Case
		want     string
	}{
		{"a lower score is a regression", scored("a", 1), scored("a", 0.5), "regression -0.5"},
		{"a higher score is an improvement", scored("a", 0.25), scored("a", 1), "improvement 0.75"},
		{"the same score is unchanged", scored("a", 1), scored("a", 1), "unchanged 0"},
		{"what rounding does is unchanged", scored("a", 0.1+0.2), scored("a", 0.3), "unchanged"},
		{"what became incomplete is no regression", scored("a", 1), broken("a", "internal"), "not_comparable new_incomplete"},
		{"what was incomplete is no improvement", broken("a", "internal"), scored("a", 1), "not_comparable old_incomplete"},
		{"both incomplete", broken("a", "internal"), broken("a", "internal"), "not_comparable both_incomplete"},
		{"a score that is gone is no regression", scored("a", 1), unscored("a"), "not_comparable new_no_score"},
		{"a score that is new is no improvement", unscored("a"), scored("a", 1), "not_comparable old_no_score"},
		{"neither has a score", unscored("a"), unscored("a"), "not_comparable both_no_score"},
		{"scores by other rules", scored("a", 1), harbor("a", 0), "not_comparable rules_differ"},
		{"scores in Harbor's form are compared with their like", harbor("a", 17), harbor("a", 12), "regression -5"},
		{"the means of trials are compared", tried("a", 1, 1), tried("a", 1, 0), "regression -0.5"},
		{"a difference beyond all numbers", harbor("a", math.MaxFloat64), harbor("a", -math.MaxFloat64), "regression -1.79"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := compared(t, run("old", c.was), run("new", c.now)).Cases[0]
			got := p.Outcome
			if p.Reason != "" {
				got += " " + p.Reason
			}
			if p.Delta != nil {
				got += fmt.Sprint(" ", *p.Delta)
			}
			if !strings.HasPrefix(got, c.want) || (p.Delta == nil) != (p.Reason != "") {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestMinDeltaIsTheLeastMove(t *testing.T) {
	t.Parallel()
	for least, want := range map[float64]string{0: "regression", 0.1: "regression", 0.25: "unchanged", 0.5: "unchanged"} {
		c, err := compare.Compare(run("old", scored("a", 1)), run("new", scored("a", 0.75)), compare.Options{MinDelta: least})
		if err != nil || c.Cases[0].Outcome != want {
			t.Errorf("%v: %v, %s, want %s", least, err, c.Cases[0].Outcome, want)
		}
	}
}

func TestDimensionsOfAPair(t *testing.T) {
	t.Parallel()
	was := scored("a", 1, dim("reward", 1), dim("both", 1), absent("gone"), dim("lost", 1), absent("none"), dim("only-old", 0.5))
	now := scored("a", 1, dim("reward", 1), dim("both", 0.25), dim("gone", 1), absent("lost"), absent("none"), dim("only-new", 0.5))
	want := []compare.Dimension{
		{Name: "both", Status: "compared", Old: ptr(1.0), New: ptr(0.25), Delta: ptr(-0.75)},
		{Name: "gone", Status: "not_applicable", New: ptr(1.0)},
		{Name: "lost", Status: "not_applicable", Old: ptr(1.0)},
		{Name: "none", Status: "not_applicable"},
		{Name: "only-new", Status: "only_new", New: ptr(0.5)},
		{Name: "only-old", Status: "only_old", Old: ptr(0.5)},
	}
	c := compared(t, run("old", was), run("new", now))
	if diff := cmp.Diff(want, c.Cases[0].Dimensions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]compare.DimensionGroup{{Name: "both", Cases: 1, Old: 1, New: 0.25, Delta: -0.75}}, c.Groups[0].Dimensions); diff != "" {
		t.Error(diff)
	}
}

func TestJoins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		was, now []orchestrator.Case
		want     string // pairs, added, removed; or the error
	}{
		{"the same ids", []orchestrator.Case{scored("a", 1), scored("b", 1)}, []orchestrator.Case{scored("b", 1), scored("a", 1)}, "a-a b-b | |"},
		{"added and removed", []orchestrator.Case{scored("a", 1)}, []orchestrator.Case{scored("b", 1)}, "| b | a"},
		{"the old legacy id is the new id", []orchestrator.Case{named("a", "x", 1)}, []orchestrator.Case{named("x", "y", 1)}, "a-x | |"},
		{"the old id is the new legacy id", []orchestrator.Case{named("org/x", "org/x", 1)}, []orchestrator.Case{named("x", "org/x", 1)}, "org/x-x | |"},
		{"the legacy ids are the same", []orchestrator.Case{named("a", "x", 1)}, []orchestrator.Case{named("b", "x", 1)}, "a-b | |"},
		{"an id goes before a legacy id", []orchestrator.Case{named("a", "x", 1), named("x", "z", 1)}, []orchestrator.Case{named("x", "a", 1)}, "x-x | | a"},
		{"no legacy ids at all", []orchestrator.Case{named("a", "", 1)}, []orchestrator.Case{named("b", "", 1)}, "| b | a"},
		{"one old case could be two new ones", []orchestrator.Case{named("a", "x", 1)}, []orchestrator.Case{named("b", "x", 1), named("c", "x", 1)}, `case "a" of OLD could be more than one of NEW: "b", "c"`},
		{"one new case could be two old ones", []orchestrator.Case{named("b", "x", 1), named("c", "x", 1)}, []orchestrator.Case{named("a", "x", 1)}, `case "a" of NEW could be more than one of OLD: "b", "c"`},
		{"its id is one and its legacy id another", []orchestrator.Case{named("a", "x", 1)}, []orchestrator.Case{named("b", "a", 1), named("x", "z", 1)}, `could be more than one of NEW: "b", "x"`},
		{"an id twice in the new run", nil, []orchestrator.Case{scored("a", 1), scored("a", 1)}, `NEW has more than one case "a"`},
		{"an id twice in the old run", []orchestrator.Case{scored("a", 1), scored("a", 1)}, nil, `OLD has more than one case "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := compare.Compare(run("old", c.was...), run("new", c.now...), compare.Options{})
			if err != nil {
				if !strings.Contains(err.Error(), c.want) || !errors.As(err, new(*compare.AmbiguousError)) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				return
			}
			var parts []string
			for _, p := range r.Cases {
				old := p.OldID
				if old == "" {
					old = p.ID
				}
				parts = append(parts, old+"-"+p.ID)
			}
			parts = append(parts, "|")
			for _, l := range r.Added {
				parts = append(parts, l.ID)
			}
			parts = append(parts, "|")
			for _, l := range r.Removed {
				parts = append(parts, l.ID)
			}
			if got := strings.Join(parts, " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestWhatElseDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(r *orchestrator.RunRecord)
		want   string
	}{
		{"nothing", func(*orchestrator.RunRecord) {}, ""},
		{"the agent", func(r *orchestrator.RunRecord) { r.Candidate.Agent = "nop" }, "agent oracle -> nop"},
		{"the agent's version", func(r *orchestrator.RunRecord) { r.Candidate.Version = "2" }, "agent_version none -> 2"},
		{"the model", func(r *orchestrator.RunRecord) { r.Candidate.Model = ptr("m-2") }, "model none -> m-2"},
		{"the number of trials", func(r *orchestrator.RunRecord) { r.Spec.Trials = 5 }, "trials 1 -> 5"},
		{"how rewards are read", func(r *orchestrator.RunRecord) { r.Spec.Rewards = "harbor" }, "rewards task -> harbor"},
		{"the limits", func(r *orchestrator.RunRecord) { r.Spec.Timeouts = map[string]any{"agent": 5.0} }, `timeouts none -> {"agent":5}`},
		{"conversations", func(r *orchestrator.RunRecord) { r.Spec.FreshSteps = true }, "fresh_steps false -> true"},
		{"an image", func(r *orchestrator.RunRecord) {
			r.Environment.Images = map[string]string{"db:1": "sha256:bb", "x": "y"}
		}, "images db:1 sha256:aa -> sha256:bb"},
		{"the task", func(r *orchestrator.RunRecord) { r.Cases[0].Task.Checksum = "sha256:2" }, `case "a": task_checksum sha256:1 -> sha256:2`},
		{"a task that could not be read", func(r *orchestrator.RunRecord) { r.Cases[0].Task.Checksum = "" }, ""},
		{"the model that was seen", func(r *orchestrator.RunRecord) { r.Cases[0].Result.ObservedModel = ptr("m-2") }, `case "a": observed_model m-1 -> m-2`},
		{"no model was seen", func(r *orchestrator.RunRecord) { r.Cases[0].Result.ObservedModel = nil }, ""},
		{"the score is derived", func(r *orchestrator.RunRecord) { r.Cases[0].ScoreDerived = true }, `case "a": score_derived false -> true`},
		{"the contract", func(r *orchestrator.RunRecord) { r.Cases[0].ContractVersion = ptr(2) }, `case "a": contract_version 1 -> 2`},
		{"the trials that were run", func(r *orchestrator.RunRecord) { r.Cases[0].Trials = make([]orchestrator.Case, 2) }, `case "a": trials 1 -> 2`},
		{"the program's version", func(r *orchestrator.RunRecord) { r.Tool.Version = "2.0.0" }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			make := func() *orchestrator.RunRecord {
				r := run("r", scored("a", 1))
				r.Cases[0].Task.Checksum, r.Cases[0].Result.ObservedModel = "sha256:1", ptr("m-1")
				r.Environment.Images = map[string]string{"db:1": "sha256:aa"}
				return r
			}
			now := make()
			c.change(now)
			got := ""
			var strict *compare.StrictError
			r := compared(t, make(), now)
			if errors.As(r.Strict(nil), &strict) {
				got = strings.Join(strict.Differences, "; ")
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if err := r.Strict(compare.Kinds()); err != nil {
				t.Errorf("everything may differ, and yet: %v", err)
			}
		})
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	good, bad := run("r", scored("a", 1), scored("b", 1)), run("r", scored("a", 0.5), scored("b", 0.5))
	for _, c := range []struct {
		name     string
		was, now *orchestrator.RunRecord
		gates    compare.Gates
		want     int
	}{
		{"nothing changed", good, good, compare.Gates{}, 0},
		{"regressions", good, bad, compare.Gates{}, 1},
		{"regressions that are let pass", good, bad, compare.Gates{MaxRegressions: 2}, 0},
		{"one more than are let pass", good, bad, compare.Gates{MaxRegressions: 1}, 1},
		{"no gate", good, bad, compare.Gates{Off: true}, 0},
		{"improvements", bad, good, compare.Gates{}, 0},
		{"a mean that is high enough", bad, bad, compare.Gates{MinScore: ptr(0.5)}, 0},
		{"a mean that is too low", bad, bad, compare.Gates{MinScore: ptr(0.6)}, 1},
		{"nothing to compare, and NEW is incomplete", good, run("r", broken("a", "internal")), compare.Gates{}, 3},
		{"nothing to compare at all", good, run("r", scored("c", 1)), compare.Gates{Off: true}, 3},
		{"an empty run", good, run("r"), compare.Gates{}, 3},
		{"nothing to compare goes before the mean", good, run("r", scored("c", 0)), compare.Gates{MinScore: ptr(1.0)}, 3},
		{"some are incomplete", good, run("r", scored("a", 1), broken("b", "internal")), compare.Gates{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, reasons := compared(t, c.was, c.now).Exit(c.gates)
			if got != c.want || (len(reasons) == 0) != (got == 0) {
				t.Errorf("%d %q, want %d", got, reasons, c.want)
			}
		})
	}
}

func TestMeansAreOfThePairsByTheirRules(t *testing.T) {
	t.Parallel()
	c := compared(t, run("old", scored("a", 1), scored("b", 0.5), scored("c", 1), harbor("h", 10)), run("new", scored("a", 0.5), scored("b", 1), broken("c", "internal"), harbor("h", 20), scored("d", 0)))
	if len(c.Groups) != 2 {
		t.Fatalf("%+v", c.Groups)
	}
	a, h := c.Groups[0], c.Groups[1]
	if a.Rules != compare.Contract || a.Cases != 2 || a.Old != 0.75 || a.New != 0.75 || a.Delta != 0 || a.Interval == nil || a.Interval.Low != -1 || a.Interval.High != 1 {
		t.Errorf("%+v", a)
	}
	if h.Rules != compare.Harbor || h.Cases != 1 || h.Old != 10 || h.New != 20 || h.Delta != 10 || h.Interval != nil {
		t.Errorf("%+v", h)
	}
}

func TestPassesAreCountedWhereThereAreTrialsOrABar(t *testing.T) {
	t.Parallel()
	if c := compared(t, run("old", scored("a", 1)), run("new", scored("a", 1))); c.Passes != nil || c.Cases[0].Old.Passed != nil {
		t.Errorf("%+v", c.Passes)
	}
	c := compared(t, run("old", tried("a", 1, 1, 0)), run("new", tried("a", 1, 0, 0)))
	if c.Passes == nil || *c.Cases[0].Old.Passed != 2 || *c.Cases[0].New.Passed != 1 || c.Cases[0].New.Trials != 3 || *c.Passes.Old.ByK[1].At != 1 {
		t.Errorf("%+v", c.Passes)
	}
	c, err := compare.Compare(run("old", scored("a", 0.5)), run("new", scored("a", 0.4)), compare.Options{PassBar: ptr(0.5)})
	if err != nil || *c.Passes.Old.ByK[0].At != 1 || *c.Passes.New.ByK[0].At != 0 {
		t.Errorf("%v %+v", err, c.Passes)
	}
}
