package score_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

// parse reads a submission.
func parse(t testing.TB, text string) any {
	t.Helper()
	v, err := score.ParseSubmission([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// specOf is a specification of these dimensions.
func specOf(t testing.TB, dimensions string) *score.Spec {
	t.Helper()
	s, err := score.ParseSpec([]byte(`{"type": "deterministic", "dimensions": [`+dimensions+`]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// specOfOne is a specification of one dimension, "d", about the value "v" on both sides.
func specOfOne(t testing.TB, keys string) *score.Spec {
	t.Helper()
	return specOf(t, `{"name": "d", "weight": 1, "field": "v", "ground_truth_field": "v", `+keys+`}`)
}

// one scores a submission by one dimension. A value that is "absent" is not there.
func one(t testing.TB, keys, submission, truth string) (float64, *score.Result, error) {
	t.Helper()
	wrap := func(v string) any {
		if v == "absent" {
			return parse(t, "{}")
		}
		return parse(t, `{"v": `+v+`}`)
	}
	total, results, err := specOfOne(t, keys).Score(wrap(submission), wrap(truth), nil)
	if err != nil {
		return 0, nil, err
	}
	return total, &results[0], nil
}

const (
	fault    = -1 // the author's: an error, and no score
	mistyped = -2 // the agent's: 0, with an error in the criterion
)

// cell is one case of a primitive: what its keys make of a submission and an expected answer.
type cell struct {
	name, keys, s, e string
	want             float64
}

func checkCells(t *testing.T, cells []cell) {
	t.Helper()
	for _, c := range cells {
		t.Run(c.name, func(t *testing.T) {
			got, r, err := one(t, c.keys, c.s, c.e)
			var f *score.SpecError
			switch {
			case c.want == fault:
				if !errors.As(err, &f) || f.Dimension != "d" || f.Key != "ground_truth_field" || f.What == "" {
					t.Errorf("score %v, %v", got, err)
				}
			case err != nil:
				t.Error(err)
			case r.Why == "":
				t.Error("no reason")
			case c.want == mistyped:
				if got != 0 || r.Error == "" {
					t.Errorf("score %v, error %q", got, r.Error)
				}
			case r.Error != "" || math.Abs(got-c.want) > 1e-12 || (c.want == 1) != (got == 1):
				t.Errorf("%v, want %v (%s, %q)", got, c.want, r.Why, r.Error)
			}
		})
	}
}

const (
	exact     = `"primitive": "exact_match"`
	ratio     = `"primitive": "exact_match_ratio"`
	near      = `"primitive": "numeric_tolerance", "tolerance": `
	fuzzy     = `"primitive": "fuzzy_string"`
	cover     = `"primitive": "coverage_ratio"`
	inter     = `"primitive": "set_overlap", "method": "intersection"`
	jaccard   = `"primitive": "set_overlap", "method": "jaccard"`
	loose     = `, "case_sensitive": false`
	trim      = `, "trim": true`
	nfc       = `, "normalize": "nfc"`
	linear    = `, "decay": "linear"`
	relative  = `, "relative": true`
	together  = `, "mode": "all"`
	penalised = `, "extra": "penalize"`
)

// list is a list of n times a text, as JSON.
func list(n int, element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}
