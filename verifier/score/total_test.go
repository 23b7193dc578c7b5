package score_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

// weighted is a specification of one exact_match for each weight, of the values v0, v1 and so on.
func weighted(weights ...string) string {
	var dims []string
	for i, w := range weights {
		dims = append(dims, fmt.Sprintf(`{"name": "d%d", "weight": %s, "primitive": "exact_match", "field": "v%d", "ground_truth_field": "v%d"}`, i, w, i, i))
	}
	return strings.Join(dims, ",")
}

func answers(n int, v string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `, "v%d": %s`, i, v)
	}
	return "{" + strings.TrimPrefix(b.String(), ", ") + "}"
}

func repeat(n int, w string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = w
	}
	return out
}

func TestTotals(t *testing.T) {
	for _, c := range []struct {
		name    string
		weights []string
	}{
		{"one weight of 1", []string{"1"}},
		{"three weights of 0.333", repeat(3, "0.333")},
		{"three weights of 0.3333", repeat(3, "0.3333")},
		{"weights that are too small by just 0.001", []string{"0.25", "0.749"}},
		{"weights that are too large by just 0.001", []string{"0.5", "0.501"}},
		{"one weight of 0.999", []string{"0.999"}},
		{"ten weights of 0.1", repeat(10, "0.1")},
		{"seven weights of 0.143", repeat(7, "0.143")},
		{"fifty weights of 0.02", repeat(50, "0.02")},
		{"weights with exponents", []string{"1e-1", "9E-1"}},
		{"a weight that is next to nothing", []string{"1", "1e-300"}},
	} {
		t.Run(c.name+" make a perfect submission exactly 1 and an absent one exactly 0", func(t *testing.T) {
			s, n := specOf(t, weighted(c.weights...)), len(c.weights)
			truth := parse(t, answers(n, "1"))
			total, results, err := s.Score(truth, truth, nil)
			if err != nil || total != 1 {
				t.Errorf("%v, %v", total, err)
			}
			sum := 0.0
			for _, r := range results {
				sum += r.Weight
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("the weights come to %v", sum)
			}
			if total, _, err = s.Score(parse(t, "{}"), truth, nil); err != nil || total != 0 {
				t.Errorf("%v, %v", total, err)
			}
		})
	}
	for name, weights := range map[string][]string{
		"too small by more than 0.001":      {"0.25", "0.7489999999999999999"},
		"too large by more than 0.001":      {"0.5", "0.5010000000000000001"},
		"two of 0.333":                      repeat(2, "0.333"),
		"points of 1000 in place of shares": {"0.7", "0.7"},
	} {
		t.Run("weights that are "+name+" are the author's fault", func(t *testing.T) {
			_, err := score.ParseSpec([]byte(`{"type": "deterministic", "dimensions": [`+weighted(weights...)+`]}`), false)
			var f *score.SpecError
			if !errors.As(err, &f) || f.Key != "weight" || !strings.Contains(f.What, "add up to 1") {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("leaving a hard answer out does not raise the total", func(t *testing.T) {
		s := specOf(t, weighted("0.5", "0.5"))
		truth := parse(t, `{"v0": 1, "v1": 1}`)
		total, results, err := s.Score(parse(t, `{"v0": 1}`), truth, nil)
		if err != nil || total != 0.5 || results[1].Why != "the submission has no v1" {
			t.Errorf("%v %+v, %v", total, results, err)
		}
	})
	t.Run("each dimension has a value of its own", func(t *testing.T) {
		_, results, err := specOf(t, weighted("0.5", "0.5")).Score(parse(t, `{"v0": 1, "v1": 2}`), parse(t, `{"v0": 1, "v1": 1}`), nil)
		if err != nil || results[0].Value != 1 || results[1].Value != 0 {
			t.Errorf("%+v, %v", results, err)
		}
	})
	t.Run("values are not rounded before the total, and the total is to twelve decimals", func(t *testing.T) {
		total, results, err := one(t, ratio, `[1]`, `[1, 2, 3]`)
		if err != nil || total != 0.333333333333 || results.Value != 1.0/3 {
			t.Errorf("%v %+v, %v", total, results, err)
		}
	})
	t.Run("a submission that is no object has no answers", func(t *testing.T) {
		for _, submission := range []string{`null`, `"v0"`, `[]`, `1`, `true`} {
			if total, _, err := specOf(t, weighted("1")).Score(parse(t, submission), parse(t, `{"v0": null}`), nil); err != nil || total != 0 {
				t.Errorf("%v, %v", total, err)
			}
		}
	})
	t.Run("a total of values that are a little too many is 1", func(t *testing.T) {
		full := score.Outcome{Value: 1}
		if total, err := score.Sum([]score.Result{{Weight: 0.7, Outcome: full}, {Weight: 0.4, Outcome: full}}); err != nil || total != 1 {
			t.Errorf("%v, %v", total, err)
		}
	})
}
