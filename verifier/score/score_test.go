package score_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/verifier/score"
)

func parse(t testing.TB, text string) any {
	t.Helper()
	v, err := score.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// one scores a submission by one dimension.
func one(t testing.TB, dimension, submission, truth string) (float64, *score.Result, error) {
	t.Helper()
	spec, err := score.ParseSpec([]byte(`{"type": "deterministic", "dimensions": [{"name": "d", "weight": 1, "field": "v", "ground_truth_field": "v", `+dimension+`}]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	wrap := func(v string) any {
		if v == "absent" {
			return parse(t, "{}")
		}
		return parse(t, `{"v": `+v+`}`)
	}
	total, results, err := spec.Score(wrap(submission), wrap(truth), nil)
	if err != nil {
		return 0, nil, err
	}
	return total, &results[0], nil
}

const fault = -1 // the author's

func TestPrimitives(t *testing.T) {
	const (
		exact, ratio = `"primitive": "exact_match"`, `"primitive": "exact_match_ratio"`
		near         = `"primitive": "numeric_tolerance", "tolerance": `
		fuzzy        = `"primitive": "fuzzy_string"`
		cover        = `"primitive": "coverage_ratio"`
		inter        = `"primitive": "set_overlap", "method": "intersection"`
		jaccard      = `"primitive": "set_overlap", "method": "jaccard"`
		loose        = `, "case_sensitive": false`
	)
	for _, c := range []struct {
		name, dimension, s, e string
		want                  float64
	}{
		// exact_match
		{"exact: equal strings", exact, `"a"`, `"a"`, 1}, {"exact: capitals count", exact, `"A"`, `"a"`, 0}, {"exact: capitals do not on request", exact + loose, `"A"`, `"a"`, 1},
		{"exact: white space counts", exact, `" a"`, `"a"`, 0}, {"exact: not on request", exact + `, "trim": true`, `" a "`, `"a"`, 1},
		{"exact: composed letters differ", exact, "\"\u00e9\"", "\"e\u0301\"", 0}, {"exact: not on request", exact + `, "normalize": "nfc"`, "\"\u00e9\"", "\"e\u0301\"", 1},
		{"exact: numbers by value", exact, `1`, `1.0`, 1}, {"exact: 0 and -0", exact, `0`, `-0`, 1}, {"exact: large numbers", exact, `1e3`, `1000`, 1},
		{"exact: decimals are exact", exact, `0.1`, `0.10000000000000000001`, 0}, {"exact: no number is a string", exact, `"1"`, `1`, 0}, {"exact: true is not 1", exact, `true`, `1`, 0},
		{"exact: null is null", exact, `null`, `null`, 1}, {"exact: null is not absent", exact, `absent`, `null`, 0}, {"exact: expected absent", exact, `1`, `absent`, fault},
		{"exact: lists", exact, `[1, "a"]`, `[1.0, "a"]`, 1}, {"exact: lists in order", exact, `[1, 2]`, `[2, 1]`, 0}, {"exact: lists of other length", exact, `[1]`, `[1, 1]`, 0},
		{"exact: objects without order", exact, `{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, 1}, {"exact: objects with more", exact, `{"a": 1, "b": 2}`, `{"a": 1}`, 0},
		{"exact: objects with other keys", exact, `{"a": 1}`, `{"b": 1}`, 0}, {"exact: empty objects", exact, `{}`, `{}`, 1}, {"exact: kinds differ", exact, `[]`, `{}`, 0},
		{"exact: sharp s is not SS", exact + loose, `"ß"`, `"SS"`, 0}, {"exact: huge exponents as written", exact, `1e99999`, `1e99999`, 1}, {"exact: and else not", exact, `1e99999`, `1e99998`, 0},
		// exact_match_ratio
		{"ratio: all", ratio, `[1, 2]`, `[1, 2]`, 1}, {"ratio: one of three", ratio, `[1]`, `[1, 2, 3]`, 1.0 / 3}, {"ratio: places count", ratio, `[2, 1]`, `[1, 2]`, 0},
		{"ratio: extras are ignored", ratio, `[1, 2, 9, 9]`, `[1, 2]`, 1}, {"ratio: penalised on request", ratio + `, "extra": "penalize"`, `[1, 2, 9, 9]`, `[1, 2]`, 0.5},
		{"ratio: both empty", ratio, `[]`, `[]`, 1}, {"ratio: nothing expected", ratio, `[1]`, `[]`, 0}, {"ratio: lists within", ratio, `[[1]]`, `[[1]]`, 1}, {"ratio: capitals count", ratio, `["A"]`, `["a"]`, 0},
		{"ratio: no list", ratio, `1`, `[1]`, 0}, {"ratio: absent", ratio, `absent`, `[1]`, 0}, {"ratio: absent where nothing is expected", ratio, `absent`, `[]`, 0}, {"ratio: expected no list", ratio, `[1]`, `1`, fault},
		// numeric_tolerance
		{"near: equal", near + `0`, `1`, `1`, 1}, {"near: off by something at 0", near + `0`, `1.0001`, `1`, 0}, {"near: on the edge", near + `0.01`, `1.01`, `1.00`, 1},
		{"near: decimals add up", near + `0`, `0.3`, `0.3`, 1}, {"near: outside", near + `0.01`, `1.02`, `1`, 0}, {"near: linear at three times", near + `1, "decay": "linear"`, `3`, `0`, 0.5},
		{"near: linear at five times", near + `1, "decay": "linear"`, `5`, `0`, 0}, {"near: linear to elsewhere", near + `1, "decay": "linear", "zero_at": 3`, `2`, `0`, 0.5},
		{"near: relative", near + `0.1, "relative": true`, `110`, `100`, 1}, {"near: relative outside", near + `0.1, "relative": true`, `111`, `100`, 0}, {"near: relative to 0", near + `0.1, "relative": true`, `0`, `0`, 1},
		{"near: a string is no number", near + `1`, `"12"`, `12`, 0}, {"near: null is no number", near + `1`, `null`, `0`, 0}, {"near: absent", near + `1`, `absent`, `0`, 0}, {"near: expected null", near + `1`, `1`, `null`, fault},
		{"near: expected absent", near + `1`, `1`, `absent`, fault}, {"near: lists share", near + `1`, `[1, 9]`, `[1, 2]`, 0.5}, {"near: lists all", near + `1, "mode": "all"`, `[1, 9]`, `[1, 2]`, 0},
		{"near: lists all right", near + `1, "mode": "all"`, `[1, 3]`, `[1, 2]`, 1}, {"near: lists short", near + `1`, `[1]`, `[1, 2]`, 0.5}, {"near: lists with something else", near + `1`, `["1", 2]`, `[1, 2]`, 0.5},
		{"near: empty lists", near + `1`, `[]`, `[]`, 1}, {"near: a list for nothing", near + `1`, `[1]`, `[]`, 0}, {"near: no list", near + `1`, `1`, `[1]`, 0}, {"near: expected no numbers", near + `1`, `[1]`, `["1"]`, fault},
		{"near: huge exponents are no numbers", near + `1`, `1e99999`, `1`, 0},
		// fuzzy_string
		{"fuzzy: both empty", fuzzy, `""`, `""`, 1}, {"fuzzy: one empty", fuzzy, `""`, `"abc"`, 0}, {"fuzzy: kitten", fuzzy, `"kitten"`, `"sitting"`, 1 - 3.0/7}, {"fuzzy: capitals do not count", fuzzy, `"ABC"`, `"abc"`, 1},
		{"fuzzy: nor runs of white space", fuzzy, "\" a  \\t b \"", `"a b"`, 1}, {"fuzzy: nor how letters are composed", fuzzy, "\"\u00e9\"", "\"e\u0301\"", 1}, {"fuzzy: emoji are letters", fuzzy, `"😀"`, `"😁"`, 0},
		{"fuzzy: below the least", fuzzy + `, "min": 0.9`, `"kitten"`, `"sitting"`, 0}, {"fuzzy: null", fuzzy, `null`, `"a"`, 0}, {"fuzzy: absent", fuzzy, `absent`, `""`, 0}, {"fuzzy: expected a number", fuzzy, `"1"`, `1`, fault},
		// coverage_ratio
		{"coverage: lists", cover, `["a", "b", "x"]`, `["b", "a"]`, 1}, {"coverage: half", cover, `["a"]`, `["b", "a"]`, 0.5}, {"coverage: duplicates count once", cover, `["a", "a"]`, `["a", "b", "b"]`, 0.5},
		{"coverage: nothing to cover", cover, `[]`, `[]`, 1}, {"coverage: nothing to cover, and something", cover, `["a"]`, `[]`, 1}, {"coverage: numbers", cover, `3`, `4`, 0.75}, {"coverage: more than all", cover, `9`, `4`, 1},
		{"coverage: negative", cover, `-1`, `10`, 0}, {"coverage: nothing to find", cover, `0`, `0`, 1}, {"coverage: expected negative", cover, `1`, `-1`, fault}, {"coverage: no list", cover, `3`, `["a"]`, 0}, {"coverage: no number", cover, `"3"`, `4`, 0},
		{"coverage: absent", cover, `absent`, `["a"]`, 0}, {"coverage: absent where there is nothing", cover, `absent`, `[]`, 0}, {"coverage: expected a string", cover, `"a"`, `"a"`, fault},
		// set_overlap
		{"sets: intersection", inter, `[1, 2, 9]`, `[1, 2, 3]`, 2.0 / 3}, {"sets: jaccard", jaccard, `[1, 2, 9]`, `[1, 2, 3]`, 0.5}, {"sets: types count", jaccard, `[1]`, `["1"]`, 0}, {"sets: numbers by value", jaccard, `[1]`, `[1.0]`, 1},
		{"sets: objects differ", jaccard, `[{"a": 1}]`, `[{"b": 2}]`, 0}, {"sets: objects without order", jaccard, `[{"a": 1, "b": 2}]`, `[{"b": 2, "a": 1}]`, 1}, {"sets: null is no text", jaccard, `[null]`, `["null"]`, 0},
		{"sets: lists are no text", jaccard, `[[1, 2]]`, `["1,2"]`, 0}, {"sets: duplicates count once", jaccard, `["a", "a"]`, `["a"]`, 1}, {"sets: capitals count", jaccard, `["A"]`, `["a"]`, 0}, {"sets: not on request", jaccard + loose, `["A"]`, `["a"]`, 1},
		{"sets: both empty", jaccard, `[]`, `[]`, 1}, {"sets: both empty", inter, `[]`, `[]`, 1}, {"sets: nothing expected", jaccard, `[1]`, `[]`, 0}, {"sets: nothing expected", inter, `[1]`, `[]`, 0}, {"sets: nothing there", jaccard, `[]`, `["a"]`, 0},
		{"sets: no list", jaccard, `"a"`, `["a"]`, 0}, {"sets: absent", jaccard, `absent`, `[]`, 0}, {"sets: expected no list", jaccard, `["a"]`, `"a"`, fault}, {"sets: booleans", jaccard, `[true]`, `["true"]`, 0},
	} {
		got, r, err := one(t, c.dimension, c.s, c.e)
		switch {
		case c.want == fault:
			if !errors.As(err, new(*score.SpecError)) {
				t.Errorf("%s: score %v, %v", c.name, got, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case math.Abs(got-c.want) > 1e-12:
			t.Errorf("%s: %v, want %v (%s %s)", c.name, got, c.want, r.Why, r.Error)
		case r.Why == "":
			t.Errorf("%s: no reason", c.name)
		}
	}
}

func TestTimeDecay(t *testing.T) {
	spec := func(more string) *score.Spec {
		t.Helper()
		s, err := score.ParseSpec([]byte(`{"type": "deterministic", "dimensions": [{"name": "right", "weight": 0.5, "primitive": "exact_match", "field": "v", "ground_truth_field": "v"},
			{"name": "fast", "weight": 0.5, "primitive": "time_decay", "time_limit_secs": 100`+more+`}]}`), false)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		seconds float64
		answer  string
		more    string
		want    float64
	}{
		{0, `1`, "", 1}, {25, `1`, "", 0.875}, {100, `1`, "", 0.5}, {500, `1`, "", 0.5}, {-5, `1`, "", 1}, {0, `2`, "", 0.5}, {0, `2`, `, "requires_score": "right"`, 0}, {0, `1`, `, "requires_score": "right"`, 1},
	} {
		got, _, err := spec(c.more).Score(parse(t, `{"v": `+c.answer+`}`), parse(t, `{"v": 1}`), &c.seconds)
		if err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	nan := math.NaN()
	for _, seconds := range []*float64{nil, &nan} {
		if _, _, err := spec("").Score(parse(t, `{"v": 1}`), parse(t, `{"v": 1}`), seconds); !errors.As(err, new(*score.SpecError)) {
			t.Errorf("an unknown time gave %v", err)
		}
	}
}

func TestTotals(t *testing.T) {
	spec, err := score.ParseSpec([]byte(`type = "deterministic"
[[dimensions]]
name = "a"
weight = 0.3333
primitive = "exact_match"
field = "x.y"
ground_truth_field = "/e/x~1y"
[[dimensions]]
name = "b"
weight = 0.3333
primitive = "numeric_tolerance"
field = "list.1"
ground_truth_field = "n"
tolerance = 0.01
[[dimensions]]
name = "c"
weight = 0.3333
primitive = "set_overlap"
method = "jaccard"
field = "set"
ground_truth_field = "set"
`), true)
	if err != nil {
		t.Fatal(err)
	}
	truth := parse(t, `{"e": {"x/y": "v"}, "n": 1.00, "set": [1]}`)
	if total, _, err := spec.Score(parse(t, `{"x": {"y": "v"}, "list": [0, 1.01], "set": [1]}`), truth, nil); err != nil || total != 1 {
		t.Errorf("a perfect submission comes to %v, %v", total, err)
	}
	total, results, err := spec.Score(parse(t, `{"x": {"y": "v"}}`), truth, nil)
	if err != nil || math.Abs(total-1.0/3) > 1e-11 || results[1].Why != "the submission has no list.1" {
		t.Errorf("%v %+v, %v", total, results, err)
	}
	if total, _, err := spec.Score(parse(t, `"no object"`), truth, nil); err != nil || total != 0 {
		t.Errorf("%v, %v", total, err)
	}
}

func TestSpecFaults(t *testing.T) {
	good := `"name": "d", "weight": 1, "primitive": "exact_match", "field": "v", "ground_truth_field": "v"`
	for want, dims := range map[string]string{
		"unknown key \"feild\"; did you mean \"field\"?": `[{"name": "d", "weight": 1, "primitive": "exact_match", "feild": "v", "ground_truth_field": "v"}]`,
		"did you mean \"exact_match\"?":                  `[{"name": "d", "weight": 1, "primitive": "exact_mach", "field": "v", "ground_truth_field": "v"}]`,
		"weight must be":                                 `[{"name": "d", "weight": 0, "primitive": "exact_match", "field": "v", "ground_truth_field": "v"}]`,
		"the weights must add up to 1, and are 0.5":      `[{"name": "d", "weight": 0.5, "primitive": "exact_match", "field": "v", "ground_truth_field": "v"}]`,
		"another of this name":                           `[{` + good + `}, {` + good + `}]`,
		"reward is the total":                            `[{"name": "reward", "weight": 1, "primitive": "exact_match", "field": "v", "ground_truth_field": "v"}]`,
		"tolerance must be":                              `[{"name": "d", "weight": 1, "primitive": "numeric_tolerance", "field": "v", "ground_truth_field": "v"}]`,
		"tolerance must be a":                            `[{"name": "d", "weight": 1, "primitive": "numeric_tolerance", "tolerance": -1, "field": "v", "ground_truth_field": "v"}]`,
		"zero_at must be above 1":                        `[{"name": "d", "weight": 1, "primitive": "numeric_tolerance", "tolerance": 1, "zero_at": 1, "field": "v", "ground_truth_field": "v"}]`,
		"method must be intersection or jaccard":         `[{"name": "d", "weight": 1, "primitive": "set_overlap", "field": "v", "ground_truth_field": "v"}]`,
		"time_limit_secs must be":                        `[{"name": "d", "weight": 1, "primitive": "time_decay", "time_limit_secs": 0}]`,
		"unknown key \"field\"":                          `[{"name": "d", "weight": 1, "primitive": "time_decay", "time_limit_secs": 1, "field": "v"}]`,
		"requires_score names \"x\"":                     `[{"name": "d", "weight": 1, "primitive": "time_decay", "time_limit_secs": 1, "requires_score": "x"}]`,
		"field must name a value":                        `[{"name": "d", "weight": 1, "primitive": "exact_match", "field": "", "ground_truth_field": "v"}]`,
		"case_sensitive must be true or false":           `[{` + good + `, "case_sensitive": 1}]`,
		"normalize must be none or nfc":                  `[{` + good + `, "normalize": "nfd"}]`,
		"must have a name":                               `[{"name": "", "weight": 1}]`,
		"dimension 1 must be an object":                  `[1]`,
		"a list of 1 to 50":                              `[]`,
	} {
		if _, err := score.ParseSpec([]byte(`{"type": "deterministic", "dimensions": `+dims+`}`), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for want, text := range map[string]string{"not JSON": `{`, "something follows": `{} {}`, "must be an object": `[]`, "type must be": `{"type": "custom-script", "dimensions": []}`, "unknown key": `{"type": "deterministic", "dimension": []}`} {
		if _, err := score.ParseSpec([]byte(text), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := score.ParseSpec([]byte(`x =`), true); err == nil || !strings.Contains(err.Error(), "not TOML") {
		t.Errorf("%v", err)
	}
}

func TestLargeSubmissionsAreQuick(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d.5,", i)
	}
	list := "[" + strings.TrimSuffix(b.String(), ",") + "]"
	for _, d := range []string{`"primitive": "exact_match"`, `"primitive": "exact_match_ratio"`, `"primitive": "numeric_tolerance", "tolerance": 0.1`, `"primitive": "coverage_ratio"`, `"primitive": "set_overlap", "method": "jaccard"`} {
		began := time.Now()
		if v, _, err := one(t, d, list, list); err != nil || v != 1 {
			t.Errorf("%s: %v, %v", d, v, err)
		}
		if took := time.Since(began); took > 5*time.Second { // a second on a quiet machine
			t.Errorf("%s took %s", d, took)
		}
	}
	text, _ := json.Marshal(strings.Repeat("ab", 5000))
	other, _ := json.Marshal(strings.Repeat("ba", 5000))
	if _, _, err := one(t, `"primitive": "fuzzy_string"`, string(text), string(other)); err != nil {
		t.Error(err)
	}
	long, _ := json.Marshal(strings.Repeat("a", 10_001))
	if v, r, err := one(t, `"primitive": "fuzzy_string"`, string(long), `"a"`); err != nil || v != 0 || r.Error == "" {
		t.Errorf("%v, %v", v, err)
	}
	if _, _, err := one(t, `"primitive": "fuzzy_string"`, `"a"`, string(long)); !errors.As(err, new(*score.SpecError)) {
		t.Errorf("%v", err)
	}
}

// FuzzScore: whatever is submitted, a score is from 0 to 1, the expected answer scores 1, sets do not care for order, and more tolerance is never worse.
func FuzzScore(f *testing.F) {
	f.Add(`1`, `1.01`)
	f.Add(`[1, "a", null]`, `[{"a": [1e3]}, true]`)
	f.Add(`"Straße"`, `"strasse"`)
	f.Fuzz(func(t *testing.T, s, e string) {
		if _, err := score.ParseJSON([]byte(s)); err != nil {
			return
		}
		if _, err := score.ParseJSON([]byte(e)); err != nil {
			return
		}
		for _, d := range []string{`"primitive": "exact_match"`, `"primitive": "exact_match_ratio"`, `"primitive": "numeric_tolerance", "tolerance": 1`, `"primitive": "numeric_tolerance", "tolerance": 1, "decay": "linear"`,
			`"primitive": "fuzzy_string"`, `"primitive": "coverage_ratio"`, `"primitive": "set_overlap", "method": "jaccard"`, `"primitive": "set_overlap", "method": "intersection"`} {
			v, _, err := one(t, d, s, e)
			if err != nil {
				continue
			}
			if math.IsNaN(v) || v < 0 || v > 1 {
				t.Errorf("%s: %v", d, v)
			}
			if same, _, err := one(t, d, e, e); err == nil && same != 1 && !strings.Contains(d, "coverage") {
				t.Errorf("%s: the expected answer %s scores %v", d, e, same)
			}
		}
		small, _, err := one(t, `"primitive": "numeric_tolerance", "tolerance": 1`, s, e)
		large, _, err2 := one(t, `"primitive": "numeric_tolerance", "tolerance": 2`, s, e)
		if err == nil && err2 == nil && large < small {
			t.Errorf("more tolerance is worse: %v, %v", small, large)
		}
		a, _, err := one(t, `"primitive": "set_overlap", "method": "jaccard"`, s, e)
		b, _, err2 := one(t, `"primitive": "set_overlap", "method": "jaccard"`, e, s)
		if err == nil && err2 == nil && a != b {
			t.Errorf("jaccard is not symmetric: %v, %v", a, b)
		}
	})
}
