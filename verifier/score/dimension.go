package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/verifier"
)

// dimension is one score.
type dimension struct {
	name      string
	weight    decimal
	primitive string
	compare   func(d *dimension, s, e any) (Outcome, error)
	field     path // in the submission
	truth     path // in the expected answers

	texts     texts
	penalize  bool // answers beyond the expected ones
	tolerance decimal
	relative  bool    // the tolerance is a share of the expected number
	linear    bool    // outside the tolerance a score falls slowly
	zeroAt    decimal // as many tolerances away it is 0
	all       bool    // numbers of a list count only together
	min       float64 // a likeness below is 0
	jaccard   bool
	timeLimit float64 // seconds
	requires  string  // another dimension that must be above 0
}

const maxName = 128

// readDimension reads the dimension that is the i-th of the specification.
func readDimension(i int, v any) (*dimension, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, &SpecError{Key: "dimensions", What: fmt.Sprintf("number %d must be an object, and is %s", i, kind(v))}
	}
	d := &dimension{}
	d.name, _ = m["name"].(string)
	if d.name == "" || len(d.name) > maxName || strings.ContainsFunc(d.name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, &SpecError{Key: "name", What: fmt.Sprintf("dimension %d must have a name of 1 to %d bytes, without control characters", i, maxName)}
	}
	if d.name == verifier.RewardKey {
		return nil, &SpecError{d.name, "name", "reward is the total, and no dimension's name"}
	}
	d.primitive, _ = m["primitive"].(string)
	p, ok := primitives()[d.primitive]
	if !ok {
		names := slices.Sorted(maps.Keys(primitives()))
		return nil, &SpecError{d.name, "primitive", "must be one of " + strings.Join(names, ", ") + meant(d.primitive, names)}
	}
	keys := append([]string{"name", "weight", "primitive"}, p.options...)
	if p.compare != nil {
		keys = append(keys, "field", "ground_truth_field")
	}
	if err := known(d.name, m, keys); err != nil {
		return nil, err
	}
	d.compare = p.compare
	r := &keyReader{d.name, m, nil}
	d.read(r)
	return d, r.err
}

// read reads the keys of a dimension that is of a known primitive, and has no unknown key.
func (d *dimension) read(r *keyReader) {
	d.weight = r.decimal("weight", "a number above 0 and at most 1", nil)
	if d.weight.sign() <= 0 || d.weight.cmp(decimal{digits: "1", point: 1}) > 0 {
		r.fail("weight", "must be a number above 0 and at most 1")
	}
	if d.compare != nil {
		d.field, d.truth = r.path("field"), r.path("ground_truth_field")
	}
	d.texts = texts{nfc: r.word("normalize", "none", "none", "nfc") == "nfc", trim: r.flag("trim", false)}
	if !r.flag("case_sensitive", true) {
		d.texts.fold = newFolds()
	}
	d.penalize = r.word("extra", "ignore", "ignore", "penalize") == "penalize"
	d.relative = r.flag("relative", false)
	d.linear = r.word("decay", "none", "none", "linear") == "linear"
	d.all = r.word("mode", "share", "share", "all") == "all"
	d.min = r.float("min", 1, 0, "a number from 0 to 1")
	switch d.primitive {
	case SetOverlap:
		d.jaccard = r.word("method", "", "intersection", "jaccard") == "jaccard"
	case NumericTolerance:
		d.tolerance = r.decimal("tolerance", "a number of 0 or more", nil)
		d.zeroAt = r.decimal("zero_at", "a number above 1", &decimal{digits: "5", point: 1})
		if d.zeroAt.cmp(decimal{digits: "1", point: 1}) <= 0 {
			r.fail("zero_at", "must be a number above 1")
		}
	case TimeDecay:
		d.timeLimit = r.float("time_limit_secs", math.MaxFloat64, -1, "a number of seconds above 0")
		if d.timeLimit == 0 {
			r.fail("time_limit_secs", "must be a number of seconds above 0")
		}
		if _, there := r.m["requires_score"]; there {
			d.requires = r.text("requires_score", "must name another dimension")
		}
	}
}

// keyReader reads the keys of a dimension, and keeps the first fault.
type keyReader struct {
	dimension string
	m         map[string]any
	err       error
}

func (r *keyReader) fail(key, what string) {
	if r.err == nil {
		r.err = &SpecError{r.dimension, key, what}
	}
}

// decimal reads a number of 0 or more; one that is not there is other, if that is something.
func (r *keyReader) decimal(key, want string, other *decimal) decimal {
	v, there := r.m[key]
	if !there && other != nil {
		return *other
	}
	n, ok := number(v)
	switch {
	case !ok || n.negative:
		r.fail(key, "must be "+want)
	case !n.bounded():
		r.fail(key, fmt.Sprintf("must be a number of at most %d digits", maxDigits))
	}
	return n
}

// float reads a number from 0 to most; one that is not there is other, if that is not negative.
func (r *keyReader) float(key string, most, other float64, want string) float64 {
	v, there := r.m[key]
	if !there && other >= 0 {
		return other
	}
	n, _ := v.(json.Number)
	f, err := n.Float64()
	if err != nil || f < 0 || f > most {
		r.fail(key, "must be "+want)
	}
	return f
}

func (r *keyReader) text(key, fault string) string {
	s, _ := r.m[key].(string)
	if s == "" {
		r.fail(key, fault)
	}
	return s
}

func (r *keyReader) path(key string) path {
	s, _ := r.m[key].(string)
	p, err := parsePath(s)
	if err != nil {
		r.fail(key, err.Error())
	}
	return p
}

func (r *keyReader) flag(key string, other bool) bool {
	v, there := r.m[key]
	if !there {
		return other
	}
	b, ok := v.(bool)
	if !ok {
		r.fail(key, "must be true or false")
	}
	return b
}

func (r *keyReader) word(key, other string, words ...string) string {
	v, there := r.m[key]
	if !there && other != "" {
		return other
	}
	s, _ := v.(string)
	if !slices.Contains(words, s) {
		r.fail(key, "must be "+strings.Join(words, " or "))
	}
	return s
}
