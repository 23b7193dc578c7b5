package score_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

func TestPaths(t *testing.T) {
	const document = `{"a": {"b": {"c": "deep"}, "": "empty within", "-1": "minus", "01": "padded"}, "list": [["x", "y"], {"k": "in a list"}], "a.b": "dotted", "a/b": "slashed", "m~n": "tilde",
		"~1": "tilde one", "": {"": "empty"}, " ": "blank", "null": null, "0": "a name of digits", "text": "no object"}`
	for _, c := range []struct{ name, path, want string }{
		{"a name", `0`, `"a name of digits"`},
		{"names with dots between", `a.b.c`, `"deep"`},
		{"a pointer", `/a/b/c`, `"deep"`},
		{"a place in a list", `list.0.1`, `"y"`},
		{"a place in a list by pointer", `/list/1/k`, `"in a list"`},
		{"a key that holds a dot, by pointer", `/a.b`, `"dotted"`},
		{"a key that holds a slash, by pointer", `/a~1b`, `"slashed"`},
		{"a key that holds a slash, by name", `a/b`, `"slashed"`},
		{"a key that holds a tilde, by pointer", `/m~0n`, `"tilde"`},
		{"a key that holds a tilde, by name", `m~n`, `"tilde"`},
		{"a tilde before a 1, by pointer", `/~01`, `"tilde one"`},
		{"an empty key at the end of a pointer", `/a/`, `"empty within"`},
		{"empty keys only", `//`, `"empty"`},
		{"a blank key", ` `, `"blank"`},
		{"a key that looks like no place, in an object", `a.-1`, `"minus"`},
		{"a key that looks like a padded place, in an object", `/a/01`, `"padded"`},
		{"a null that is there", `null`, `null`},
		{"a dot is no way to a key that holds one", `a.b`, `{"c": "deep"}`},
		{"a name that is absent", `b`, ``},
		{"a place beyond a list", `list.2`, ``},
		{"a padded place", `list.01`, ``},
		{"a place below 0", `list.-1`, ``},
		{"a place that is minus 0", `list.-0`, ``},
		{"a place with a plus", `list.+1`, ``},
		{"a place behind the last", `/list/-`, ``},
		{"a place beyond all measure", `list.99999999999999999999`, ``},
		{"a name in a list", `list.k`, ``},
		{"an empty key in a list", `/list/`, ``},
		{"a name in a text", `text.length`, ``},
		{"a name in a null", `null.a`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			quoted, _ := json.Marshal(c.path)
			s := specOf(t, fmt.Sprintf(`{"name": "d", "weight": 1, "primitive": "exact_match", "field": %s, "ground_truth_field": "v"}`, quoted))
			if c.want == "" {
				if total, results, err := s.Score(parse(t, document), parse(t, `{"v": null}`), nil); err != nil || total != 0 || results[0].Why != "the submission has no "+c.path {
					t.Errorf("%v %+v, %v", total, results, err)
				}
				s = specOf(t, fmt.Sprintf(`{"name": "d", "weight": 1, "primitive": "exact_match", "field": "v", "ground_truth_field": %s}`, quoted))
				var f *score.SpecError
				if _, _, err := s.Score(parse(t, `{"v": 1}`), parse(t, document), nil); !errors.As(err, &f) || f.Key != "ground_truth_field" || f.What != "the expected answers have no "+c.path {
					t.Errorf("%v", err)
				}
				return
			}
			if total, results, err := s.Score(parse(t, document), parse(t, `{"v": `+c.want+`}`), nil); err != nil || total != 1 {
				t.Errorf("%v %+v, %v", total, results, err)
			}
		})
	}
	for _, c := range []struct{ name, path, want string }{
		{"an empty path", ``, `must name a value`},
		{"a dot only", `.`, `must name a value`},
		{"a dot at the end", `a.`, `must name a value`},
		{"a dot at the beginning", `.a`, `must name a value`},
		{"two dots", `a..b`, `an empty name needs the second form`},
		{"a tilde at the end of a pointer", `/a~`, `a 0 or a 1 after each ~`},
		{"a tilde before a 2 in a pointer", `/a~2b`, `a 0 or a 1 after each ~`},
		{"two tildes in a pointer", `/~~0`, `a 0 or a 1 after each ~`},
	} {
		t.Run(c.name+" is the author's fault", func(t *testing.T) {
			for key, other := range map[string]string{"field": "ground_truth_field", "ground_truth_field": "field"} {
				text := fmt.Sprintf(`{"type": "deterministic", "dimensions": [{"name": "d", "weight": 1, "primitive": "exact_match", %q: %q, %q: "v"}]}`, key, c.path, other)
				_, err := score.ParseSpec([]byte(text), false)
				var f *score.SpecError
				if !errors.As(err, &f) || f.Dimension != "d" || f.Key != key || !strings.Contains(f.What, c.want) {
					t.Errorf("%v", err)
				}
			}
		})
	}
}
