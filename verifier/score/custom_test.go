package score_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/verifier/score"
)

func TestCustomSpecifications(t *testing.T) {
	s, err := score.ParseSpec([]byte(`type = "custom-script"
script = "lib/evaluate.py"
image = "python:3"
timeout_secs = 1.5
twice = true
submission = "/app/out"
truth = "truth.csv"
[weights]
a = 0.3333
b = 0.3333
c = 0.3333
`), true)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Custom
	if c.Script != "lib/evaluate.py" || c.Image != "python:3" || c.Timeout != 1500*time.Millisecond || !c.Twice || s.Submission != "/app/out" || s.Truth != "truth.csv" || math.Abs(c.Weights["a"]-1.0/3) > 1e-15 {
		t.Errorf("%+v %+v", s, c)
	}
	if s, err := score.ParseSpec([]byte(`{"type": "custom-script", "script": "e.sh"}`), false); err != nil || s.Custom.Timeout != time.Minute || s.Custom.Weights != nil {
		t.Errorf("%+v, %v", s, err)
	}
	for want, more := range map[string]string{
		"script: must be":                    `"script": ""`,
		"script: must be the name of a file": `"script": "../evaluate.py"`,
		"script: must be the name":           `"script": "/bin/sh"`,
		"image: must be":                     `"script": "e", "image": ""`,
		"twice: must be":                     `"script": "e", "twice": 1`,
		"timeout_secs: must be":              `"script": "e", "timeout_secs": 0`,
		"timeout_secs: must be a number":     `"script": "e", "timeout_secs": "60"`,
		"weights: must be":                   `"script": "e", "weights": {}`,
		"weights: must be a number":          `"script": "e", "weights": {"a": 2}`,
		"has no weight":                      `"script": "e", "weights": {"reward": 1}`,
		"add up to 1, and are 0.5":           `"script": "e", "weights": {"a": 0.5}`,
		"dimensions: unknown key":            `"script": "e", "dimensions": []`,
		"did you mean \"script\"":            `"scipt": "e"`,
		"submission: must be":                `"script": "e", "submission": 1`,
		"truth: must be":                     `"script": "e", "truth": "a/../../b"`,
	} {
		if _, err := score.ParseSpec([]byte(`{"type": "custom-script", `+more+`}`), false); !errors.As(err, new(*score.SpecError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestWhatAScriptLeaves(t *testing.T) {
	one := 1.0
	for _, c := range []struct {
		name, text string
		weights    map[string]float64
		total      *float64
		scores     int
		fault      string
	}{
		{"scores alone", `{"scores": {"a": 0.5, "b": 1}}`, nil, nil, 2, ""},
		{"scores with a total", `{"scores": {"a": 0.5, "reward": 1}}`, nil, &one, 1, ""},
		{"a total alone", `{"scores": {"reward": 1}}`, nil, &one, 0, ""},
		{"scores with weights", `{"scores": {"a": 1, "b": 1}, "reasons": {"a": "well done"}}`, map[string]float64{"a": 1.0 / 3, "b": 2.0 / 3}, &one, 2, ""},
		{"a weight without a score", `{"scores": {"a": 1}}`, map[string]float64{"a": 0.5, "b": 0.5}, nil, 0, `there is no score "b"`},
		{"a score without a weight", `{"scores": {"a": 1, "x": 1}}`, map[string]float64{"a": 1}, nil, 0, `"x" has no weight`},
		{"weights and a total of its own", `{"scores": {"a": 1, "reward": 1}}`, map[string]float64{"a": 1}, nil, 0, "must not write a reward"},
		{"a score above 1", `{"scores": {"a": 1.5}}`, nil, nil, 0, "a"},
		{"a boolean", `{"scores": {"a": true}}`, nil, nil, 0, "a"},
		{"not a number", `{"scores": {"a": NaN}}`, nil, nil, 0, "is no JSON"},
		{"a name twice", `{"scores": {"a": 0, "a": 1}}`, nil, nil, 0, "a"},
		{"scores twice", `{"scores": {"a": 0}, "scores": {"a": 1}}`, nil, nil, 0, "repeated"},
		{"no scores", `{}`, nil, nil, 0, "has no scores"},
		{"empty scores", `{"scores": { }}`, nil, nil, 0, "has no scores"},
		{"a list of scores", `{"scores": [1]}`, nil, nil, 0, "has no scores"},
		{"a number", `1`, nil, nil, 0, "no JSON object"},
		{"nothing", ``, nil, nil, 0, "no JSON object"},
		{"half an object", `{"scores": {"a": 1}`, nil, nil, 0, "is no JSON"},
		{"something behind", `{"scores": {"a": 1}} x`, nil, nil, 0, "something follows"},
		{"another key", `{"scores": {"a": 1}, "score": 1}`, nil, nil, 0, "unknown"},
		{"reasons that are numbers", `{"scores": {"a": 1}, "reasons": {"a": 1}}`, nil, nil, 0, "object of texts"},
		{"a reason for nothing", `{"scores": {"a": 1}, "reasons": {"b": "x"}}`, nil, nil, 0, `there is no score "b"`},
		{"too much", `{"scores": {"a": 1}, "reasons": {"a": "` + strings.Repeat("x", score.MaxScoresBytes) + `"}}`, nil, nil, 0, "larger than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			total, results, err := (&score.Custom{Weights: c.weights}).Results([]byte(c.text))
			if c.fault != "" {
				if !errors.As(err, new(*score.ScriptError)) || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("%v %v", results, err)
				}
				return
			}
			if err != nil || len(results) != c.scores || (total == nil) != (c.total == nil) || total != nil && *total != *c.total {
				t.Fatalf("%v %v %v", total, results, err)
			}
			for _, r := range results {
				if r.Why == "" {
					t.Errorf("%+v has no reason", r)
				}
			}
		})
	}
}

// FuzzScriptResults: whatever a script leaves, there are scores from 0 to 1 or an error.
func FuzzScriptResults(f *testing.F) {
	f.Add(`{"scores": {"a": 0.5, "reward": 1}, "reasons": {"a": "x"}}`)
	f.Add(`{"scores": {"a": 1e400}}`)
	f.Fuzz(func(t *testing.T, text string) {
		total, results, err := new(score.Custom).Results([]byte(text))
		if err != nil {
			return
		}
		if total == nil && len(results) == 0 {
			t.Error("no score and no error")
		}
		for _, r := range results {
			if !(r.Value >= 0 && r.Value <= 1) {
				t.Errorf("%v", r.Value)
			}
		}
		if total != nil && !(*total >= 0 && *total <= 1) {
			t.Errorf("%v", *total)
		}
	})
}
