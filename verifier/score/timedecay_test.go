package score_test

import (
	"errors"
	"math"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

const right = `{"name": "right", "weight": 0.5, "primitive": "exact_match_ratio", "field": "v", "ground_truth_field": "v"}`

func TestTimeDecay(t *testing.T) {
	const gate = `, "requires_score": "right"`
	for _, c := range []struct {
		name          string
		limit         string
		seconds       float64
		answer, more  string
		want          float64
		first, reason string
	}{
		{name: "no time used is full", limit: `100`, seconds: 0, want: 1},
		{name: "a quarter used is three quarters", limit: `100`, seconds: 25, want: 0.75},
		{name: "nine tenths used is one tenth where floats would lose it", limit: `100`, seconds: 90, want: 0.1},
		{name: "just the limit is 0", limit: `100`, seconds: 100, want: 0},
		{name: "beyond the limit is 0", limit: `100`, seconds: 500, want: 0},
		{name: "a clock that went back is full", limit: `100`, seconds: -5, want: 1},
		{name: "0 of the least limit is full", limit: `5e-324`, seconds: 0, want: 1},
		{name: "much of the least limit is 0", limit: `5e-324`, seconds: 1e308, want: 0},
		{name: "a clock that went far back is full with the largest limit", limit: `1.7e308`, seconds: -1.7e308, want: 1},
		{name: "the time counts without a right answer", limit: `100`, seconds: 0, answer: `[2]`, want: 1},
		{name: "with requires_score the time does not count without a right answer", limit: `100`, seconds: 0, answer: `[2]`, more: gate, want: 0},
		{name: "with requires_score the time does not count without an answer", limit: `100`, seconds: 0, answer: `null`, more: gate, want: 0},
		{name: "with requires_score the time counts with a right answer", limit: `100`, seconds: 25, answer: `[1]`, more: gate, want: 0.75},
		{name: "with requires_score a part of the answer is enough", limit: `100`, seconds: 25, answer: `[1, 9]`, more: gate, want: 0.75},
	} {
		t.Run(c.name, func(t *testing.T) {
			fast := `{"name": "fast", "weight": 0.5, "primitive": "time_decay", "time_limit_secs": ` + c.limit + c.more + `}`
			if c.answer == "" {
				c.answer = `[1, 2]`
			}
			for _, order := range []string{right + "," + fast, fast + "," + right} {
				_, results, err := specOf(t, order).Score(parse(t, `{"v": `+c.answer+`}`), parse(t, `{"v": [1, 2]}`), &c.seconds)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range results {
					if r.Name == "fast" && (r.Value != c.want || r.Why == "" || r.Error != "") {
						t.Errorf("%+v, want %v", r, c.want)
					}
				}
			}
		})
	}
	nan, inf := math.NaN(), math.Inf(1)
	for name, seconds := range map[string]*float64{"a time that is not known": nil, "a time that is NaN": &nan, "a time that is infinite": &inf} {
		t.Run(name+" is an error and no score", func(t *testing.T) {
			s := specOf(t, right+`, {"name": "fast", "weight": 0.5, "primitive": "time_decay", "time_limit_secs": 1}`)
			_, results, err := s.Score(parse(t, `{"v": [1]}`), parse(t, `{"v": [1]}`), seconds)
			var f *score.SpecError
			if !errors.As(err, &f) || f.Dimension != "fast" || f.Key != "time_limit_secs" || results != nil {
				t.Errorf("%+v, %v", results, err)
			}
		})
	}
}
