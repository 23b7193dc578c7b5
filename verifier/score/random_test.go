package score_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/verifier/score"
)

// allKeys are dimensions of every primitive that compares answers, with and without its options.
func allKeys() []string {
	return []string{
		exact, exact + loose + trim + nfc, ratio, ratio + penalised, near + `1`, near + `0.5` + linear, near + `0.1` + relative, near + `0.1` + relative + linear, near + `1` + together,
		fuzzy, fuzzy + `, "min": 0.5`, cover, cover + loose + trim + nfc, inter, jaccard, jaccard + loose + trim + nfc,
	}
}

// anyValue is a value of any kind; small ones, so that two are often alike.
func anyValue(r *rand.Rand, depth int) string {
	switch n := r.IntN(9); {
	case n == 0:
		return []string{"null", "true", "false"}[r.IntN(3)]
	case n < 4 || depth == 0:
		return anyNumber(r)
	case n < 6:
		return anyText(r)
	case n == 6:
		return fmt.Sprintf(`{"a": %s, %s: %s}`, anyValue(r, depth-1), anyText(r), anyValue(r, depth-1))
	}
	return anyList(r, func() string { return anyValue(r, depth-1) })
}

func anyNumber(r *rand.Rand) string {
	return []string{"", "-"}[r.IntN(2)] + fmt.Sprint(r.IntN(5)) + []string{"", ".0", ".5", ".25", "e0", "e1", "e-2", "E+5000", "e-99999", ".10000000000000000000001"}[r.IntN(10)]
}

func anyText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString([]string{"a", "A", "b", " ", "é", "e\u0301", "ß", "SS", "İ", "😀", `\"`, `\ud83d`, `\n`}[r.IntN(13)])
	}
	return `"` + b.String() + `"`
}

func anyList(r *rand.Rand, element func() string) string {
	out := make([]string, r.IntN(5))
	for i := range out {
		out[i] = element()
	}
	return "[" + strings.Join(out, ",") + "]"
}

// pairs gives so many pairs of answers that primitives are made for, the same ones each time.
func pairs(n int, f func(r *rand.Rand, s, e string)) {
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 1))
		element := func() string { return anyValue(r, 2) }
		switch seed % 5 {
		case 0:
			f(r, anyNumber(r), anyNumber(r))
		case 1:
			f(r, anyText(r), anyText(r))
		case 2:
			f(r, anyList(r, func() string { return anyNumber(r) }), anyList(r, func() string { return anyNumber(r) }))
		case 3:
			f(r, anyList(r, element), anyList(r, element))
		default:
			f(r, element(), element())
		}
	}
}

// holds checks what is true of every pair of answers.
func holds(t *testing.T, s, e string) {
	t.Helper()
	for _, keys := range allKeys() {
		v, r, err := one(t, keys, s, e)
		absent, _, err2 := one(t, keys, "absent", e)
		if (err == nil) != (err2 == nil) {
			t.Errorf("%s: whether the expected %s is a fault hangs on the answer: %v, %v", keys, e, err, err2)
		}
		if err != nil {
			continue
		}
		if !(v >= 0 && v <= 1) || !(r.Value >= 0 && r.Value <= 1) || r.Why == "" || r.Error != "" && v != 0 {
			t.Errorf("%s: %s against %s comes to %v, %+v", keys, s, e, v, r)
		}
		if absent != 0 {
			t.Errorf("%s: an absent answer against %s scores %v", keys, e, absent)
		}
		if same, _, err := one(t, keys, e, e); err != nil || same != 1 {
			t.Errorf("%s: the expected answer %s scores %v, %v", keys, e, same, err)
		}
	}
	symmetric(t, s, e)
	tolerant(t, s, e)
	unordered(t, s, e)
}

func symmetric(t *testing.T, s, e string) {
	t.Helper()
	for _, keys := range []string{exact, exact + loose + trim + nfc, fuzzy, jaccard, jaccard + loose + trim + nfc, ratio + penalised, near + `1`, near + `1` + linear} {
		a, _, err := one(t, keys, s, e)
		b, _, err2 := one(t, keys, e, s)
		lists := keys[:14] == near[:14] && strings.HasPrefix(strings.TrimSpace(s), "[") // the share is of the expected ones
		if err == nil && err2 == nil && a != b && !lists {
			t.Errorf("%s: %s and %s come to %v one way and %v the other", keys, s, e, a, b)
		}
	}
	same, _, _ := one(t, exact, s, e)
	if set, _, err := one(t, jaccard, "["+s+"]", "["+e+"]"); err != nil || set != same {
		t.Errorf("%s and %s are equal by %v and one member by %v, %v", s, e, same, set, err)
	}
}

// tolerant: more tolerance is never worse, nor is a part for what is near.
func tolerant(t *testing.T, s, e string) {
	t.Helper()
	for _, more := range []string{"", linear, relative, relative + linear, together, linear + `, "zero_at": 1.5`} {
		last := 0.0
		for _, tolerance := range []string{"0", "1e-3", "0.5", "1", "1.0000001", "50", "1e4000"} {
			v, _, err := one(t, near+tolerance+more, s, e)
			if err != nil {
				break
			}
			if v < last {
				t.Errorf("%s against %s%s: tolerance %s comes to %v, less than %v before", s, e, more, tolerance, v, last)
			}
			last = v
		}
	}
	hard, _, err := one(t, near+`1`, s, e)
	soft, _, err2 := one(t, near+`1`+linear, s, e)
	if (err == nil) != (err2 == nil) || soft < hard {
		t.Errorf("%s against %s: %v, and %v with decay linear", s, e, hard, soft)
	}
}

// unordered: neither the order nor the number of equal members counts in sets.
func unordered(t *testing.T, s, e string) {
	t.Helper()
	var members []json.RawMessage
	if json.Unmarshal([]byte(s), &members) != nil {
		return
	}
	other := make([]string, 0, 2*len(members))
	for i := range members {
		other = append(other, string(members[len(members)-1-i]))
	}
	other = append(other, other...)
	for _, keys := range []string{cover, inter, jaccard, cover + loose, jaccard + trim} {
		a, _, err := one(t, keys, s, e)
		b, _, err2 := one(t, keys, "["+strings.Join(other, ",")+"]", e)
		if members != nil && (err == nil) == (err2 == nil) && a == b {
			continue
		}
		if members != nil {
			t.Errorf("%s: %s in another order comes to %v instead of %v against %s (%v, %v)", keys, s, b, a, e, err, err2)
		}
	}
}

func TestWhatHoldsOfAllAnswers(t *testing.T) {
	pairs(300, func(_ *rand.Rand, s, e string) {
		holds(t, s, e)
		holds(t, s, s)
	})
}

func TestAnyAcceptedWeightsMakeAPerfectSubmissionOne(t *testing.T) {
	accepted := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 1 + r.IntN(50)
		weights, shares, sum := make([]string, n), make([]float64, n), 0.0
		for i := range shares {
			shares[i] = r.Float64() + 1e-6
			sum += shares[i]
		}
		for i, s := range shares {
			weights[i] = fmt.Sprintf("%.*f", 4+r.IntN(14), s/sum)
		}
		s, err := score.ParseSpec([]byte(`{"type": "deterministic", "dimensions": [`+weighted(weights...)+`]}`), false)
		if err != nil {
			continue // rounded to nothing, or too far from 1
		}
		accepted++
		truth := parse(t, answers(n, "1"))
		total, results, err := s.Score(truth, truth, nil)
		if err != nil || total != 1 {
			t.Fatalf("%v come to %v, %v", weights, total, err)
		}
		some, want := map[string]any{}, 0.0
		for i, res := range results {
			if r.IntN(2) == 0 {
				some[fmt.Sprintf("v%d", i)] = json.Number("1")
				want += res.Weight
			}
		}
		if total, _, err = s.Score(some, truth, nil); err != nil || math.Abs(total-want) > 1e-11 || total > 1 || total == 0 && want > 1e-12 {
			t.Fatalf("%v come to %v, want %v, %v", weights, total, want, err)
		}
	}
	if accepted < 300 {
		t.Errorf("only %d were accepted", accepted)
	}
}

func TestTimeDecayFallsSteadily(t *testing.T) {
	s := specOf(t, `{"name": "fast", "weight": 1, "primitive": "time_decay", "time_limit_secs": 7.3}`)
	r := rand.New(rand.NewPCG(1, 3))
	last, seconds := 1.0, -1.0
	for seconds < 9 {
		v, _, err := s.Score(nil, nil, &seconds)
		if err != nil || v > last || v < 0 || (seconds <= 0) != (v == 1) || (seconds >= 7.3) != (v == 0) {
			t.Fatalf("%v seconds come to %v after %v, %v", seconds, v, last, err)
		}
		last = v
		seconds += r.Float64() / 50
	}
}
