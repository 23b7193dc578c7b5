package score

import "fmt"

func numericTolerance(d *dimension, s, e any) (Outcome, error) {
	if want, ok := e.([]any); ok {
		return numericList(d, s, want)
	}
	want, ok := number(e)
	if !ok {
		return Outcome{}, d.expects("a number or a list of numbers", e)
	}
	if !want.bounded() {
		return Outcome{}, d.tooLong(d.truth.text)
	}
	got, ok := number(s)
	if !ok {
		return unlike("a number", s), nil
	}
	_, o := d.near(got, want)
	return o, nil
}

func (d *dimension) tooLong(where string) error {
	return &SpecError{d.name, "ground_truth_field", fmt.Sprintf("the expected number at %s has more than %d digits", where, maxDigits)}
}

func numericList(d *dimension, s any, expected []any) (Outcome, error) {
	want := make([]decimal, len(expected))
	for i, e := range expected {
		n, ok := number(e)
		if !ok {
			return Outcome{}, d.expects(fmt.Sprintf("a list of numbers; the one at %d is %s", i, kind(e)), expected)
		}
		if !n.bounded() {
			return Outcome{}, d.tooLong(fmt.Sprintf("%s, place %d,", d.truth.text, i))
		}
		want[i] = n
	}
	got, ok := s.([]any)
	if !ok {
		return unlike("a list of numbers", s), nil
	}
	if len(want) == 0 {
		return nothing(got), nil
	}
	sum, hits := 0.0, 0
	for i := range min(len(got), len(want)) {
		if n, ok := number(got[i]); ok {
			within, o := d.near(n, want[i])
			sum += o.Value
			if within {
				hits++
			}
		}
	}
	o := part(hits, len(want), "are within the tolerance")
	if d.all {
		return full(hits == len(want), o.Why, o.Why), nil
	}
	o.Value = sum / float64(len(want))
	return o, nil
}

// near compares two numbers by exact decimals, so that one on the edge of the tolerance is within it. What an agent wrote is only ever compared digit by
// digit, or cut first: whatever its exponent, it costs no more than its text.
func (d *dimension) near(got, want decimal) (within bool, o Outcome) {
	tolerance := d.tolerance
	if d.relative {
		tolerance = tolerance.mul(want.abs())
	}
	if between(got, want, tolerance) {
		return true, Outcome{Value: 1, Why: "the number is within the tolerance"}
	}
	if d.linear {
		return false, decay(got, want, tolerance, tolerance.mul(d.zeroAt))
	}
	return false, outside()
}

func outside() Outcome { return Outcome{Why: "the number is outside the tolerance"} }

// decay falls from 1 at the tolerance to 0 at zero.
func decay(got, want, tolerance, zero decimal) Outcome {
	if !between(got, want, zero) {
		return outside()
	}
	// So many more places than the author's numbers have move the score by less than a float can tell.
	const more = 40
	got = got.cut(max(want.places(), zero.places(), tolerance.places()) + more)
	rest := zero.add(got.add(want.minus()).abs().minus())
	return Outcome{Value: max(0, min(1, share(rest, zero.add(tolerance.minus())))), Why: "the number is outside the tolerance, and near"}
}

// between tells whether a number is no farther than so much from another one.
func between(got, want, far decimal) bool {
	return got.cmp(want.add(far.minus())) >= 0 && got.cmp(want.add(far)) <= 0
}
