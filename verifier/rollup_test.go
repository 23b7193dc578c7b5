package verifier_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/verifier"
)

const notApplicable = -1

// stepped is a step's verdict; dims with notApplicable do not apply, and a score of notApplicable is none.
func stepped(name string, score float64, derived bool, dims map[string]float64) verifier.StepVerdict {
	one := 1
	v := verifier.StepVerdict{Name: name, Verdict: verifier.Verdict{Derived: derived, ContractVersion: &one, Scores: []verifier.Score{}}}
	if score != notApplicable {
		v.Score = &score
	}
	for _, n := range []string{"a", "b", "reward"} {
		x, ok := dims[n]
		switch {
		case !ok:
		case x == notApplicable:
			v.Scores = append(v.Scores, verifier.Score{Name: n, Status: verifier.StatusNotApplicable})
		default:
			v.Scores = append(v.Scores, verifier.Score{Name: n, Status: verifier.StatusScored, Value: &x})
		}
	}
	return v
}

func TestRollUp(t *testing.T) {
	type dims = map[string]float64
	for _, c := range []struct {
		name    string
		steps   []verifier.StepVerdict
		opt     verifier.RollUpOptions
		score   float64
		derived bool
		want    dims
		warns   int
	}{
		{
			name:  "rewards of all steps give their mean",
			steps: []verifier.StepVerdict{stepped("1", 1, false, dims{"reward": 1}), stepped("2", 0.5, false, dims{"reward": 0.5})},
			score: 0.75, want: dims{"reward": 0.75},
		},
		{
			name:  "dimensions without a reward give the mean of their means",
			steps: []verifier.StepVerdict{stepped("1", 0.5, true, dims{"a": 1, "b": 0}), stepped("2", 1, true, dims{"a": 1, "b": 1})},
			score: 0.75, derived: true, want: dims{"a": 1, "b": 0.5},
		},
		{
			name:  "a dimension that a step leaves out counts 0 there, with a warning",
			steps: []verifier.StepVerdict{stepped("1", 1, true, dims{"a": 1, "b": 1}), stepped("2", 1, true, dims{"a": 1})},
			score: 0.75, derived: true, want: dims{"a": 1, "b": 0.5}, warns: 1,
		},
		{
			name:  "a dimension that does not apply in a step is left out of its mean",
			steps: []verifier.StepVerdict{stepped("1", 1, true, dims{"a": 1, "b": 0.5}), stepped("2", 1, true, dims{"a": 1, "b": notApplicable})},
			score: 0.75, derived: true, want: dims{"a": 1, "b": 0.5},
		},
		{
			name:  "where only some steps have a reward, the steps' scores are averaged",
			steps: []verifier.StepVerdict{stepped("1", 0.25, false, dims{"reward": 0.25, "a": 1}), stepped("2", 0.75, true, dims{"a": 0.75})},
			score: 0.5, derived: true, want: dims{"a": 0.875},
		},
		{
			name:  "a step in which nothing applied is left out",
			steps: []verifier.StepVerdict{stepped("1", 0.5, false, dims{"reward": 0.5}), stepped("2", notApplicable, false, dims{"a": notApplicable})},
			score: 0.5, want: dims{"a": notApplicable, "reward": 0.5},
		},
		{
			name:  "steps in which nothing applied give no score",
			steps: []verifier.StepVerdict{stepped("1", notApplicable, false, dims{"a": notApplicable}), stepped("2", notApplicable, false, dims{"a": notApplicable})},
			score: notApplicable, want: dims{"a": notApplicable},
		},
		{
			name:  "steps that never ran count 0 where the mean is over the declared",
			steps: []verifier.StepVerdict{stepped("1", 1, false, dims{"reward": 1}), stepped("2", 1, false, dims{"reward": 1})}, opt: verifier.RollUpOptions{Declared: 4},
			score: 0.5, want: dims{"reward": 0.5},
		},
		{
			name:  "the final step decides alone",
			steps: []verifier.StepVerdict{stepped("1", 1, false, dims{"reward": 1, "a": 1}), stepped("2", 0.25, false, dims{"reward": 0.25})}, opt: verifier.RollUpOptions{Final: true},
			score: 0.25, want: dims{"reward": 0.25},
		},
		{
			name:  "Harbor's numbers keep their size",
			steps: []verifier.StepVerdict{stepped("1", 30, false, dims{"reward": 30}), stepped("2", -10, false, dims{"reward": -10})}, opt: verifier.RollUpOptions{Harbor: true},
			score: 10, want: dims{"reward": 10},
		},
		{name: "no steps give nothing", score: notApplicable, want: dims{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := verifier.RollUp(c.steps, c.opt)
			got := dims{}
			for _, s := range v.Scores {
				got[s.Name] = notApplicable
				if s.Value != nil {
					got[s.Name] = *s.Value
				}
			}
			score := float64(notApplicable)
			if v.Score != nil {
				score = *v.Score
			}
			if score != c.score || v.Derived != c.derived || len(v.Warnings) != c.warns {
				t.Errorf("score %v (derived %v), warnings %v", score, v.Derived, v.Warnings)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("dimensions (-want +got):\n%s", d)
			}
		})
	}
}

func TestUnmet(t *testing.T) {
	v := stepped("1", 0.5, true, map[string]float64{"a": 0.25, "b": notApplicable}).Verdict
	none := stepped("1", notApplicable, false, nil).Verdict
	for _, c := range []struct {
		name  string
		v     verifier.Verdict
		least map[string]float64
		met   bool
	}{
		{"nothing is asked for", none, nil, true},
		{"the score is enough", v, map[string]float64{"reward": 0.5}, true},
		{"the score is too small", v, map[string]float64{"reward": 0.51}, false},
		{"there is no score", none, map[string]float64{"reward": 0}, false},
		{"a dimension is enough", v, map[string]float64{"a": 0.25}, true},
		{"one of two dimensions is too small", v, map[string]float64{"a": 0.25, "reward": 0.6}, false},
		{"a dimension that does not apply meets nothing", v, map[string]float64{"b": 0}, false},
		{"a dimension that is not there meets nothing", v, map[string]float64{"c": 0}, false},
	} {
		if why := verifier.Unmet(c.v, c.least); (why == "") != c.met {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}
