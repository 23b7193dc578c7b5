package score_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

func TestNumericTolerance(t *testing.T) {
	digits := strings.Repeat("7", 4097)
	checkCells(t, []cell{
		{"equal at tolerance 0 is full", near + `0`, `1`, `1`, 1},
		{"off at tolerance 0 is 0", near + `0`, `1.0001`, `1`, 0},
		{"on the edge is full in exact decimals", near + `0.01`, `1.01`, `1.00`, 1},
		{"on the edge below is full", near + `0.01`, `0.99`, `1.00`, 1},
		{"beyond the edge by a hair is 0", near + `0.01`, `1.0100000000000000000001`, `1`, 0},
		{"beyond the edge below by a hair is 0", near + `0.01`, `0.9899999999999999999999`, `1`, 0},
		{"0.3 is 0.3 at tolerance 0", near + `0`, `0.3`, `3e-1`, 1},
		{"the float 0.1 + 0.2 is not 0.3 at tolerance 0", near + `0`, `0.30000000000000004`, `0.3`, 0},
		{"-0 is 0", near + `0`, `-0`, `0`, 1},
		{"numbers below 0 are near", near + `1`, `-2`, `-1`, 1},
		{"numbers on both sides of 0 are near", near + `2`, `-1`, `1`, 1},
		{"numbers on both sides of 0 are far", near + `1`, `-1`, `1`, 0},
		{"a number that carries over many places is near", near + `0.001`, `1000`, `999.999`, 1},
		{"three tolerances away is 0", near + `1`, `3`, `0`, 0},
		{"three tolerances away is a half with decay linear", near + `1` + linear, `3`, `0`, 0.5},
		{"within the tolerance is full with decay linear", near + `1` + linear, `1`, `0`, 1},
		{"five tolerances away is 0 with decay linear", near + `1` + linear, `5`, `0`, 0},
		{"nine tolerances away is 0 with decay linear", near + `1` + linear, `-9`, `0`, 0},
		{"zero_at moves where decay linear comes to 0", near + `1, "zero_at": 3` + linear, `2`, `0`, 0.5},
		{"zero_at may be a fraction", near + `2, "zero_at": 1.5` + linear, `2.5`, `0`, 0.5},
		{"off at tolerance 0 is 0 with decay linear", near + `0` + linear, `1`, `0`, 0},
		{"equal at tolerance 0 is full with decay linear", near + `0` + linear, `1`, `1`, 1},
		{"an answer with countless places falls slowly with decay linear", near + `1` + linear, `3.` + digits, `0`, (5 - 3.7777777777777777) / 4},
		{"an answer that is nearly the edge falls slowly with decay linear", near + `1e-300` + linear, `3e-300`, `0`, 0.5},
		{"a tiny answer falls slowly with decay linear", near + `1` + linear, `1e-99999`, `3`, 0.5},
		{"relative is a share of the expected number", near + `0.1` + relative, `110`, `100`, 1},
		{"relative is a share of the expected number below 0", near + `0.1` + relative, `-110`, `-100`, 1},
		{"relative and farther is 0", near + `0.1` + relative, `110.1`, `100`, 0},
		{"relative to 0 takes 0", near + `0.1` + relative, `-0.0`, `0`, 1},
		{"relative to 0 takes nothing else", near + `0.1` + relative, `1e-300`, `0`, 0},
		{"relative to 0 takes nothing else with decay linear", near + `0.1` + relative + linear, `0.0001`, `0`, 0},
		{"relative and decay linear fall together", near + `0.1` + relative + linear, `130`, `100`, 0.5},
		{"the text 12 is no number", near + `1`, `"12"`, `12`, mistyped},
		{"the empty text is not 0", near + `1`, `""`, `0`, mistyped},
		{"null is not 0", near + `1`, `null`, `0`, mistyped},
		{"true is not 1", near + `1`, `true`, `1`, mistyped},
		{"a list where a number is expected is the agent's error", near + `1`, `[1]`, `1`, mistyped},
		{"absent is 0", near + `1`, `absent`, `0`, 0},
		{"an expected answer that is absent is the author's fault", near + `1`, `1`, `absent`, fault},
		{"an expected null is the author's fault", near + `1`, `1`, `null`, fault},
		{"an expected text is the author's fault", near + `1`, `1`, `"1"`, fault},
		{"an expected text is the author's fault where the answer is absent", near + `1`, `absent`, `"1"`, fault},
		{"an expected number of too many digits is the author's fault", near + `1`, `1`, digits, fault},
		{"an expected number with a huge exponent is the author's fault", near + `1`, `1`, `1e4097`, fault},
		{"an expected number with a tiny exponent is the author's fault", near + `1`, `1`, `1e-4098`, fault},
		{"an expected number with an exponent beyond all measure is the author's fault", near + `1`, `1`, `1e999999999999999999`, fault},
		{"relative by a share of many digits is exact", near + `0.1234567890123456789` + relative, `1.1234567890123456789`, `1`, 1},
		{"relative by a share of many digits is exact beyond the edge", near + `0.1234567890123456789` + relative, `-2223.4567890123456790`, `-1979.0123456789012345678`, 0},
		{"relative by a share of many digits of a number of many digits", near + `0.1234567890123456789` + relative, `1.123456789012345679`, `1.0000000000000000001`, 1},
		{"relative by a share of seventeen digits is exact", near + `0.99999999999999999` + relative, `199999999999999998.8`, `99999999999999999.9`, 1},
		{"relative by a share of seventeen digits is exact beyond the edge", near + `0.99999999999999999` + relative, `199999999999999998.80000000000000001`, `99999999999999999.9`, 0},
		{"an expected number of 4096 digits is none", near + `1`, digits[1:], digits[1:], 1},
		{"a huge answer is far", near + `1`, `1e99999`, `1`, 0},
		{"a huge answer below 0 is far", near + `1`, `-1e99999`, `1`, 0},
		{"a tiny answer is near 0", near + `1`, `1e-99999`, `0`, 1},
		{"a tiny answer is not 0 at tolerance 0", near + `0`, `1e-99999`, `0`, 0},
		{"an answer with an exponent beyond all measure is the agent's error", near + `1`, `1e999999999999999999`, `1`, mistyped},
		{"an answer of countless digits is compared", near + `1`, "1." + digits, `1`, 1},
	})
}

func TestNumericToleranceOfLists(t *testing.T) {
	checkCells(t, []cell{
		{"a list scores the share within the tolerance", near + `1`, `[1, 9]`, `[1, 2]`, 0.5},
		{"mode all is 0 where one is outside", near + `1` + together, `[1, 9]`, `[1, 2]`, 0},
		{"mode all is full where all are within", near + `1` + together, `[1, 3]`, `[1, 2]`, 1},
		{"mode all is 0 where one is missing", near + `1` + together, `[1]`, `[1, 2]`, 0},
		{"mode all ignores extras", near + `1` + together, `[1, 2, 99]`, `[1, 2]`, 1},
		{"mode all takes no part of decay linear", near + `1` + together + linear, `[3]`, `[0]`, 0},
		{"decay linear counts in the share", near + `1` + linear, `[3, 0]`, `[0, 0]`, 0.75},
		{"mode all is 0 for one that is outside by less than a float can tell", near + `1` + together + linear, `[1.0000000000000000000000001]`, `[0]`, 0},
		{"a short list misses the rest", near + `1`, `[1]`, `[1, 2]`, 0.5},
		{"extras are ignored", near + `1`, `[1, 2, 99]`, `[1, 2]`, 1},
		{"an empty list misses all", near + `1`, `[]`, `[1]`, 0},
		{"a text in a list is a miss", near + `1`, `["1", 2]`, `[1, 2]`, 0.5},
		{"null in a list is a miss", near + `1`, `[null, 2]`, `[0, 2]`, 0.5},
		{"relative goes by each expected number", near + `0.1` + relative, `[110, 2]`, `[100, 1]`, 0.5},
		{"both empty are full", near + `1`, `[]`, `[]`, 1},
		{"both empty are full with mode all", near + `1` + together, `[]`, `[]`, 1},
		{"something where nothing is expected is 0", near + `1`, `[1]`, `[]`, 0},
		{"a number where a list is expected is the agent's error", near + `1`, `1`, `[1]`, mistyped},
		{"absent is 0", near + `1`, `absent`, `[]`, 0},
		{"an expected list with a text is the author's fault", near + `1`, `[1]`, `[1, "1"]`, fault},
		{"an expected list with a list is the author's fault", near + `1`, `[1]`, `[[1]]`, fault},
		{"an expected list with a number of too many digits is the author's fault", near + `1`, `[1]`, `[1e5000]`, fault},
	})
}

func TestNoNumberIsNaNOrInfinite(t *testing.T) {
	for _, text := range []string{"NaN", "Infinity", "-Infinity", "+1", "01", ".5", "1.", "0x1", "1_000"} {
		t.Run(text+" is no JSON", func(t *testing.T) {
			if v, err := score.ParseSubmission([]byte(`{"v": ` + text + `}`)); err == nil {
				t.Errorf("%v", v)
			}
		})
		if strings.ContainsAny(text, "1.") {
			continue
		}
		t.Run(text+" that comes from elsewhere is no number", func(t *testing.T) {
			bad, good := map[string]any{"v": json.Number(text)}, parse(t, `{"v": 1}`)
			if total, results, err := specOfOne(t, near+`1`).Score(bad, good, nil); err != nil || total != 0 || results[0].Error == "" {
				t.Errorf("%v %+v, %v", total, results, err)
			}
			if _, _, err := specOfOne(t, near+`1`).Score(good, bad, nil); !errors.As(err, new(*score.SpecError)) {
				t.Errorf("%v", err)
			}
		})
	}
	for _, text := range []json.Number{"", ".", "-", "1e", "1ee1", "--1", "1.2.3"} {
		bad := map[string]any{"v": text}
		if total, results, err := specOfOne(t, near+`1`).Score(bad, parse(t, `{"v": 1}`), nil); err != nil || total != 0 || results[0].Error == "" {
			t.Errorf("%q: %v %+v, %v", text, total, results, err)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -0.1, 1.1} {
		if _, err := score.Sum([]score.Result{{Name: "d", Weight: 1, Outcome: score.Outcome{Value: v}}}); !errors.As(err, new(*score.SpecError)) {
			t.Errorf("a value of %v is in a total: %v", v, err)
		}
	}
}

func TestValuesThatAreNoJSONEqualNothing(t *testing.T) {
	odd := map[string]any{"v": []any{1.5}}
	for _, keys := range []string{exact, ratio, near + `1`, fuzzy} {
		if total, _, err := specOfOne(t, keys).Score(odd, odd, nil); total != 0 {
			t.Errorf("%s: %v, %v", keys, total, err)
		}
	}
	if total, _, err := specOfOne(t, jaccard).Score(odd, parse(t, `{"v": [1.5]}`), nil); total != 0 || err != nil {
		t.Errorf("%v, %v", total, err)
	}
	_, results, err := specOfOne(t, fuzzy).Score(map[string]any{"v": 1.5}, parse(t, `{"v": "a"}`), nil)
	if err != nil || results[0].Error != "the answer is no JSON, and a string is wanted" {
		t.Errorf("%+v, %v", results, err)
	}
}
