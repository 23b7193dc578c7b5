package score

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Outcome is what a comparison came to.
type Outcome struct {
	// Value is from 0 to 1.
	Value float64
	// Why says so in a sentence.
	Why string
	// Error is set where the answer could not be compared at all: the agent's fault, and 0.
	Error string
}

// SpecError is a fault of the author's: the expected answers or the specification do not make sense. It is never a score.
type SpecError struct {
	Dimension string
	What      string
}

func (e *SpecError) Error() string {
	if e.Dimension == "" {
		return "the scoring specification: " + e.What
	}
	return fmt.Sprintf("dimension %q of the scoring specification: %s", e.Dimension, e.What)
}

func wrong(want string, got any) Outcome {
	return Outcome{Error: fmt.Sprintf("the answer is %s, and %s is wanted", kind(got), want), Why: "the answer cannot be compared"}
}

// lists are the answer and what is expected, where both are lists; else what that comes to. expected says what the author may write.
func (d *Dimension) lists(s, e any, expected string) (got, want []any, o *Outcome, err error) {
	want, ok := e.([]any)
	if !ok {
		return nil, nil, nil, &SpecError{d.Name, "the expected answer must be " + expected + ", and is " + kind(e)}
	}
	if got, ok = s.([]any); !ok {
		miss := wrong("a list", s)
		return nil, nil, &miss, nil
	}
	return got, want, nil, nil
}

func full(yes bool, why, not string) Outcome {
	if yes {
		return Outcome{Value: 1, Why: why}
	}
	return Outcome{Why: not}
}

func exactMatch(d *Dimension, s, e any) (Outcome, error) { //nolint:unparam // one form for all primitives
	return full(d.texts().equal(s, e), "the answer is the expected one", "the answer is not the expected one"), nil
}

func exactMatchRatio(d *Dimension, s, e any) (Outcome, error) {
	got, want, o, err := d.lists(s, e, "a list")
	if o != nil || err != nil {
		return *cmp.Or(o, &Outcome{}), err
	}
	if len(want) == 0 {
		return full(len(got) == 0, "nothing was expected, and nothing is there", "nothing was expected, and something is there"), nil
	}
	t, hits := d.texts(), 0
	for i := range min(len(got), len(want)) {
		if t.equal(got[i], want[i]) {
			hits++
		}
	}
	of := len(want)
	if d.Extra == "penalize" {
		of = max(of, len(got))
	}
	return Outcome{Value: float64(hits) / float64(of), Why: fmt.Sprintf("%d of %d are in their places", hits, of)}, nil
}

func numericTolerance(d *Dimension, s, e any) (Outcome, error) {
	if want, ok := e.([]any); ok {
		return numericList(d, s, want)
	}
	want, ok := number(e)
	if !ok {
		return Outcome{}, &SpecError{d.Name, "the expected answer must be a number or a list of numbers, and is " + kind(e)}
	}
	got, ok := number(s)
	if !ok {
		return wrong("a number", s), nil
	}
	return d.near(got, want), nil
}

func numericList(d *Dimension, s any, want []any) (Outcome, error) {
	for i, w := range want {
		if _, ok := number(w); !ok {
			return Outcome{}, &SpecError{d.Name, fmt.Sprintf("the expected answer must be numbers; the one at %d is %s", i, kind(w))}
		}
	}
	got, ok := s.([]any)
	if !ok {
		return wrong("a list of numbers", s), nil
	}
	if len(want) == 0 {
		return full(len(got) == 0, "nothing was expected, and nothing is there", "nothing was expected, and something is there"), nil
	}
	sum, hits := 0.0, 0
	for i, w := range want {
		if i >= len(got) {
			break
		}
		if n, ok := number(got[i]); ok {
			e, _ := number(w)
			o := d.near(n, e)
			sum += o.Value
			if o.Value == 1 {
				hits++
			}
		}
	}
	why := fmt.Sprintf("%d of %d are within the tolerance", hits, len(want))
	if d.Mode == "all" {
		return full(hits == len(want), why, why), nil
	}
	return Outcome{Value: sum / float64(len(want)), Why: why}, nil
}

// near compares two numbers by exact decimals, so that one on the edge of the tolerance is within it.
func (d *Dimension) near(got, want *big.Rat) Outcome {
	diff := new(big.Rat).Abs(new(big.Rat).Sub(got, want))
	tol := new(big.Rat).Set(d.tolerance)
	if d.Relative {
		tol.Mul(tol, new(big.Rat).Abs(want))
	}
	if diff.Cmp(tol) <= 0 {
		return Outcome{Value: 1, Why: "the number is within the tolerance"}
	}
	if d.Decay == "linear" {
		zero := new(big.Rat).Mul(tol, d.zeroAt)
		if diff.Cmp(zero) < 0 {
			v, _ := new(big.Rat).Quo(new(big.Rat).Sub(zero, diff), new(big.Rat).Sub(zero, tol)).Float64()
			return Outcome{Value: v, Why: "the number is outside the tolerance, and near"}
		}
	}
	return Outcome{Why: "the number is outside the tolerance"}
}

// maxFuzzy bounds the texts that are compared letter by letter, in code points.
const maxFuzzy = 10_000

func fuzzyString(d *Dimension, s, e any) (Outcome, error) {
	want, ok := e.(string)
	if !ok {
		return Outcome{}, &SpecError{d.Name, "the expected answer must be a string, and is " + kind(e)}
	}
	got, ok := s.(string)
	if !ok {
		return wrong("a string", s), nil
	}
	a, b := []rune(folded(got)), []rune(folded(want))
	if len(b) > maxFuzzy {
		return Outcome{}, &SpecError{d.Name, fmt.Sprintf("the expected answer has more than %d letters", maxFuzzy)}
	}
	if len(a) > maxFuzzy {
		return Outcome{Error: fmt.Sprintf("the answer has more than %d letters", maxFuzzy), Why: "the answer cannot be compared"}, nil
	}
	longer := max(len(a), len(b))
	if longer == 0 {
		return Outcome{Value: 1, Why: "both texts are empty"}, nil
	}
	v := 1 - float64(levenshtein(a, b))/float64(longer)
	if v < d.Min {
		return Outcome{Why: fmt.Sprintf("the texts are alike by %.4f, which is below %g", v, d.Min)}, nil
	}
	return Outcome{Value: v, Why: fmt.Sprintf("the texts are alike by %.4f", v)}, nil
}

// folded takes what does not count out of a text: capitals, how letters are composed, and how much white space there is.
func folded(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(norm.NFC.String(s), unicode.IsSpace), " "))
}

func levenshtein(a, b []rune) int {
	if len(a) < len(b) {
		a, b = b, a
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diag := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diag
			if x != y {
				cost = 1 + min(diag, row[j], row[j+1])
			}
			diag, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

func timeDecay(d *Dimension, seconds *float64) (Outcome, error) {
	if seconds == nil {
		return Outcome{}, &SpecError{d.Name, "the agent's time is not known; give it with --time"}
	}
	if math.IsNaN(*seconds) || math.IsInf(*seconds, 0) {
		return Outcome{}, &SpecError{d.Name, "the agent's time is no number"}
	}
	v := max(0, min(1, 1-*seconds/d.TimeLimit))
	return Outcome{Value: v, Why: fmt.Sprintf("%g of %g seconds were used", *seconds, d.TimeLimit)}, nil
}

func coverageRatio(d *Dimension, s, e any) (Outcome, error) {
	if of, ok := number(e); ok {
		found, ok := number(s)
		if !ok {
			return wrong("a number", s), nil
		}
		if of.Sign() < 0 {
			return Outcome{}, &SpecError{d.Name, "the expected number is negative"}
		}
		if of.Sign() == 0 {
			return Outcome{Value: 1, Why: "there was nothing to find"}, nil
		}
		v, _ := new(big.Rat).Quo(found, of).Float64()
		return Outcome{Value: max(0, min(1, v)), Why: fmt.Sprintf("%s of %s", found.RatString(), of.RatString())}, nil
	}
	got, want, o, err := d.lists(s, e, "a list or a number")
	if o != nil || err != nil {
		return *cmp.Or(o, &Outcome{}), err
	}
	a, b := d.set(got), d.set(want)
	if len(b) == 0 {
		return Outcome{Value: 1, Why: "there was nothing to cover"}, nil
	}
	n := common(a, b)
	return Outcome{Value: float64(n) / float64(len(b)), Why: fmt.Sprintf("%d of %d are covered", n, len(b))}, nil
}

func setOverlap(d *Dimension, s, e any) (Outcome, error) {
	got, want, o, err := d.lists(s, e, "a list")
	if o != nil || err != nil {
		return *cmp.Or(o, &Outcome{}), err
	}
	a, b := d.set(got), d.set(want)
	n := common(a, b)
	switch {
	case len(a) == 0 && len(b) == 0:
		return Outcome{Value: 1, Why: "both sets are empty"}, nil
	case len(b) == 0:
		return Outcome{Why: "nothing was expected, and something is there"}, nil
	case d.Method == "intersection":
		return Outcome{Value: float64(n) / float64(len(b)), Why: fmt.Sprintf("%d of %d are in both", n, len(b))}, nil
	}
	union := len(a) + len(b) - n
	return Outcome{Value: float64(n) / float64(union), Why: fmt.Sprintf("%d of %d that are in either are in both", n, union)}, nil
}

func (d *Dimension) set(list []any) map[string]bool {
	t, out := d.texts(), make(map[string]bool, len(list))
	for _, v := range list {
		out[t.identity(v)] = true
	}
	return out
}

func common(a, b map[string]bool) int {
	n := 0
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}
