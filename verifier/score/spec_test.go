package score_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

func TestSpecFaults(t *testing.T) {
	const (
		head  = `"name": "d", "weight": 1, `
		where = `, "field": "v", "ground_truth_field": "v"`
	)
	of := func(keys string) string { return `[{` + head + keys + where + `}]` }
	timed := func(keys string) string { return `[{` + head + `"primitive": "time_decay"` + keys + `}]` }
	for _, c := range []struct{ name, dims, want string }{
		{"an unknown key", `[{` + head + exact + `, "feild": "v", "ground_truth_field": "v"}]`, `dimension "d" of the scoring specification: feild: unknown key; did you mean "field"?`},
		{"an unknown key like no other", of(exact + `, "qqqqqqqq": 1`), `dimension "d" of the scoring specification: qqqqqqqq: unknown key`},
		{"a key of another primitive", of(exact + `, "tolerance": 1`), `"d" of the scoring specification: tolerance: unknown key`},
		{"a primitive that is nearly one", of(`"primitive": "exact_mach"`), `"d" of the scoring specification: primitive: must be one of coverage_ratio, exact_match, exact_match_ratio, fuzzy_string, numeric_tolerance, set_overlap, time_decay; did you mean "exact_match"?`},
		{"a primitive that is not there", `[{"name": "d", "weight": 1}]`, `primitive: must be one of`},
		{"the primitive of another code base", of(`"primitive": "api_call_efficiency"`), `primitive: must be one of`},
		{"a weight of 0", `[{"name": "d", "weight": 0, ` + exact + where + `}]`, `"d" of the scoring specification: weight: must be a number above 0 and at most 1`},
		{"a weight below 0", `[{"name": "d", "weight": -1, ` + exact + where + `}]`, `weight: must be a number above 0 and at most 1`},
		{"a weight above 1", `[{"name": "d", "weight": 1.0005, ` + exact + where + `}]`, `weight: must be a number above 0 and at most 1`},
		{"a weight that is a text", `[{"name": "d", "weight": "1", ` + exact + where + `}]`, `weight: must be a number above 0 and at most 1`},
		{"no weight", `[{"name": "d", ` + exact + where + `}]`, `weight: must be a number above 0 and at most 1`},
		{"a weight of too many digits", `[{"name": "d", "weight": 1e-9999, ` + exact + where + `}]`, `weight: must be a number of at most 4096 digits`},
		{"weights that do not add up", `[{"name": "d", "weight": 0.5, ` + exact + where + `}]`, `weight: the weights of all dimensions must add up to 1, and come to 0.5`},
		{"two of one name", `[{` + head + exact + where + `}, {` + head + exact + where + `}]`, `dimension "d" of the scoring specification: name: there is another dimension of this name`},
		{"the name reward", `[{"name": "reward", "weight": 1, ` + exact + where + `}]`, `dimension "reward" of the scoring specification: name: reward is the total`},
		{"an empty name", `[{"name": "", "weight": 1}]`, `name: dimension 1 must have a name of 1 to 128 bytes`},
		{"no name", `[{"weight": 1}]`, `name: dimension 1 must have a name`},
		{"a long name", `[{"name": "` + strings.Repeat("a", 129) + `"}]`, `name: dimension 1 must have a name`},
		{"a name with a control character", `[{"name": "a\nb"}]`, `name: dimension 1 must have a name`},
		{"a name with a delete character", `[{"name": "a\u007f"}]`, `name: dimension 1 must have a name`},
		{"a dimension that is no object", `[1]`, `dimensions: number 1 must be an object, and is a number`},
		{"no dimension", `[]`, `dimensions: must be a list of 1 to 50`},
		{"dimensions that are no list", `{}`, `dimensions: must be a list of 1 to 50`},
		{"51 dimensions", `[` + weighted(repeat(51, "0.0196")...) + `]`, `dimensions: must be a list of 1 to 50`},
		{"no tolerance", of(`"primitive": "numeric_tolerance"`), `"d" of the scoring specification: tolerance: must be a number of 0 or more`},
		{"a tolerance below 0", of(near + `-1`), `tolerance: must be a number of 0 or more`},
		{"a tolerance that is a text", of(near + `"1"`), `tolerance: must be a number of 0 or more`},
		{"a huge tolerance", of(near + `1e9999`), `tolerance: must be a number of at most 4096 digits`},
		{"zero_at at the tolerance", of(near + `1, "zero_at": 1`), `zero_at: must be a number above 1`},
		{"zero_at within the tolerance", of(near + `1, "zero_at": 0.5`), `zero_at: must be a number above 1`},
		{"zero_at that is a text", of(near + `1, "zero_at": "5"`), `zero_at: must be a number above 1`},
		{"a relative that is no boolean", of(near + `1, "relative": 1`), `relative: must be true or false`},
		{"a decay that is unknown", of(near + `1, "decay": "cubic"`), `decay: must be none or linear`},
		{"a mode that is unknown", of(near + `1, "mode": "some"`), `mode: must be share or all`},
		{"an extra that is unknown", of(ratio + `, "extra": true`), `extra: must be ignore or penalize`},
		{"a case_sensitive that is no boolean", of(exact + `, "case_sensitive": 1`), `case_sensitive: must be true or false`},
		{"a trim that is null", of(exact + `, "trim": null`), `trim: must be true or false`},
		{"a normalize that is unknown", of(exact + `, "normalize": "nfd"`), `normalize: must be none or nfc`},
		{"a min above 1", of(fuzzy + `, "min": 1.1`), `min: must be a number from 0 to 1`},
		{"a min below 0", of(fuzzy + `, "min": -0.1`), `min: must be a number from 0 to 1`},
		{"a min that is a text", of(fuzzy + `, "min": "0.5"`), `min: must be a number from 0 to 1`},
		{"no method", of(`"primitive": "set_overlap"`), `"d" of the scoring specification: method: must be intersection or jaccard`},
		{"a method that is unknown", of(`"primitive": "set_overlap", "method": "dice"`), `method: must be intersection or jaccard`},
		{"no time limit", timed(``), `"d" of the scoring specification: time_limit_secs: must be a number of seconds above 0`},
		{"a time limit of 0", timed(`, "time_limit_secs": 0`), `time_limit_secs: must be a number of seconds above 0`},
		{"a time limit below 0", timed(`, "time_limit_secs": -1`), `time_limit_secs: must be a number of seconds above 0`},
		{"a time limit beyond floats", timed(`, "time_limit_secs": 1e999`), `time_limit_secs: must be a number of seconds above 0`},
		{"a field for a time", timed(`, "time_limit_secs": 1, "field": "v"`), `field: unknown key`},
		{"a requires_score of no dimension", timed(`, "time_limit_secs": 1, "requires_score": "x"`), `requires_score: "x" is no dimension that is scored by an answer`},
		{"a requires_score of the dimension itself", timed(`, "time_limit_secs": 1, "requires_score": "d"`), `requires_score: "d" is no dimension that is scored by an answer`},
		{"a requires_score that is no text", timed(`, "time_limit_secs": 1, "requires_score": true`), `requires_score: must name another dimension`},
		{"an empty field", `[{` + head + exact + `, "field": "", "ground_truth_field": "v"}]`, `"d" of the scoring specification: field: must name a value`},
		{"no ground_truth_field", `[{` + head + exact + `, "field": "v"}]`, `ground_truth_field: must name a value`},
		{"a field that is no text", `[{` + head + exact + `, "field": 1, "ground_truth_field": "v"}]`, `field: must name a value`},
		{"the first of two faults", `[{"name": "d", "weight": 2, ` + near + `-1` + where + `}]`, `weight: must be`},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, `{"type": "deterministic", "dimensions": `+c.dims+`}`, false, c.want) })
	}
	good := `"type": "deterministic", "dimensions": ` + of(exact)
	for _, c := range []struct{ name, text, want string }{
		{"half an object", `{`, `the scoring specification: not JSON`},
		{"two values", `{` + good + `} {}`, `something follows the value`},
		{"a list", `[]`, `must be an object, and is a list`},
		{"another type", `{"type": "script", "dimensions": []}`, `type: must be "deterministic"`},
		{"a type that is a list", `{"type": [], "dimensions": []}`, `type: must be "deterministic"`},
		{"no type", `{"dimensions": []}`, `type: must be "deterministic"`},
		{"an unknown key", `{"type": "deterministic", "dimension": []}`, `dimension: unknown key; did you mean "dimensions"?`},
		{"a key that is there twice", `{"type": "deterministic", ` + good + `}`, `an object has the key "type" twice`},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.text, false, c.want) })
	}
}

func refused(t *testing.T, text string, isTOML bool, want string) {
	t.Helper()
	s, err := score.ParseSpec([]byte(text), isTOML)
	if !errors.As(err, new(*score.SpecError)) || !strings.Contains(err.Error(), want) {
		t.Errorf("%+v: %v, want %s", s, err, want)
	}
}

func TestSpecsInTOML(t *testing.T) {
	const head = "type = \"deterministic\"\n[[dimensions]]\nname = \"d\"\nfield = \"v\"\nground_truth_field = \"v\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"half a line", `x =`, `not TOML`},
		{"a key that is there twice", head + "name = \"e\"\n", `not TOML`},
		{"a weight that is nan", head + "primitive = \"exact_match\"\nweight = nan\n", `weight: must be a number above 0 and at most 1`},
		{"a weight that is infinite", head + "primitive = \"exact_match\"\nweight = inf\n", `weight: must be a number above 0 and at most 1`},
		{"a min that is nan", head + "primitive = \"fuzzy_string\"\nweight = 1\nmin = nan\n", `min: must be a number from 0 to 1`},
		{"a tolerance that is infinite", head + "primitive = \"numeric_tolerance\"\nweight = 1\ntolerance = inf\n", `tolerance: must be a number of 0 or more`},
		{"a name that is a date", "type = \"deterministic\"\n[[dimensions]]\nname = 2001-01-01\n", `name: dimension 1 must have a name`},
		{"a dimension that is a date", "type = \"deterministic\"\ndimensions = [2001-01-01]\n", `dimensions: number 1 must be an object, and is no JSON`},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.text, true, c.want) })
	}
	t.Run("the same as in JSON", func(t *testing.T) {
		spec, err := score.ParseSpec([]byte(head+`primitive = "numeric_tolerance"
weight = 1
tolerance = 0.01
decay = "linear"
zero_at = 3
relative = false
`), true)
		if err != nil {
			t.Fatal(err)
		}
		for answer, want := range map[string]float64{`1.01`: 1, `1.02`: 0.5, `1.03`: 0} {
			if total, _, err := spec.Score(parse(t, `{"v": `+answer+`}`), parse(t, `{"v": 1}`), nil); err != nil || total != want {
				t.Errorf("%s: %v, %v", answer, total, err)
			}
		}
	})
}
