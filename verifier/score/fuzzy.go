package score

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxFuzzy bounds the texts that are compared letter by letter, in code points.
const maxFuzzy = 10_000

func fuzzyString(d *dimension, s, e any) (Outcome, error) {
	want, ok := e.(string)
	if !ok {
		return Outcome{}, d.expects("a string", e)
	}
	b := folded(want)
	if len(b) > maxFuzzy {
		return Outcome{}, &SpecError{d.name, "ground_truth_field", fmt.Sprintf("the expected answer at %s has more than %d letters", d.truth.text, maxFuzzy)}
	}
	got, ok := s.(string)
	if !ok {
		return unlike("a string", s), nil
	}
	a := folded(got)
	if len(a) > maxFuzzy {
		return Outcome{Error: fmt.Sprintf("the answer has more than %d letters", maxFuzzy), Why: "the answer cannot be compared"}, nil
	}
	longer := max(len(a), len(b))
	if longer == 0 {
		return Outcome{Value: 1, Why: "both texts are empty"}, nil
	}
	// One division, so that 1 letter of 10 is 0.1, and not below a min of 0.1.
	v := float64(longer-levenshtein(a, b)) / float64(longer)
	if v < d.min {
		return Outcome{Why: fmt.Sprintf("the texts are alike by %.4f, which is below %g", v, d.min)}, nil
	}
	return Outcome{Value: v, Why: fmt.Sprintf("the texts are alike by %.4f", v)}, nil
}

// folded takes what does not count out of a text: capitals, how letters are composed, and how much white space there is.
func folded(s string) []rune {
	return []rune(strings.Map(fold, strings.Join(strings.Fields(norm.NFC.String(s)), " ")))
}

// levenshtein is how many letters must be put in, taken out or changed to make one text of the other.
func levenshtein(a, b []rune) int {
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
