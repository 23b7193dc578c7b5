package score

import (
	"cmp"
	"encoding/json"
	"fmt"
)

func coverageRatio(d *dimension, s, e any) (Outcome, error) {
	if total, ok := e.(json.Number); ok {
		return coverageOfNumbers(d, s, total)
	}
	got, want, o, err := d.lists(s, e, "a list or a number")
	if o != nil || err != nil {
		return *cmp.Or(o, &Outcome{}), err
	}
	a, b := d.set(got), d.set(want)
	if len(b) == 0 {
		return Outcome{Value: 1, Why: "there was nothing to cover"}, nil
	}
	return part(common(a, b), len(b), "are covered"), nil
}

// coverageOfNumbers is found / total, from 0 to 1.
func coverageOfNumbers(d *dimension, s any, total json.Number) (Outcome, error) {
	of, ok := number(total)
	if !ok || of.negative {
		return Outcome{}, d.expects("a list, or a number of 0 or more", total)
	}
	found, ok := number(s)
	switch {
	case !ok:
		return unlike("a number", s), nil
	case of.digits == "":
		return Outcome{Value: 1, Why: "there was nothing to find"}, nil
	case found.negative:
		return Outcome{Why: "fewer than none were found"}, nil
	case found.cmp(of) >= 0:
		return Outcome{Value: 1, Why: "all were found"}, nil
	}
	v := share(found, of)
	return Outcome{Value: v, Why: fmt.Sprintf("%.4f of all were found", v)}, nil
}

func setOverlap(d *dimension, s, e any) (Outcome, error) {
	got, want, o, err := d.lists(s, e, "a list")
	if o != nil || err != nil {
		return *cmp.Or(o, &Outcome{}), err
	}
	a, b := d.set(got), d.set(want)
	if len(b) == 0 {
		return nothing(got), nil
	}
	n := common(a, b)
	if d.jaccard {
		return part(n, len(a)+len(b)-n, "that are in either are in both"), nil
	}
	return part(n, len(b), "that are expected are there"), nil
}

func (d *dimension) set(list []any) map[string]bool {
	out := map[string]bool{}
	var member []byte
	for _, v := range list {
		if member = d.texts.append(member[:0], v); !out[string(member)] {
			out[string(member)] = true
		}
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
