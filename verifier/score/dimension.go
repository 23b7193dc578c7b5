package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

func dimension(i int, m map[string]any) (*Dimension, error) {
	d := &Dimension{CaseSensitive: true, Normalize: "none", Extra: "ignore", Decay: "none", Mode: "share", zeroAt: big.NewRat(5, 1)}
	d.Name, _ = m["name"].(string)
	if d.Name == "" || len(d.Name) > 128 || strings.ContainsFunc(d.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, &SpecError{What: fmt.Sprintf("dimension %d must have a name of 1 to 128 bytes, without control characters", i+1)}
	}
	if d.Name == "reward" {
		return nil, &SpecError{d.Name, "reward is the total, and no dimension's name"}
	}
	d.Primitive, _ = m["primitive"].(string)
	more, ok := options()[d.Primitive]
	if !ok {
		names := slices.Sorted(maps.Keys(options()))
		what := fmt.Sprintf("primitive must be one of %s", strings.Join(names, ", "))
		if near := nearest.Of(d.Primitive, names); near != "" {
			what += fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, &SpecError{d.Name, what}
	}
	keys := append([]string{"name", "weight", "primitive"}, more...)
	if d.Primitive != TimeDecay {
		keys = append(keys, "field", "ground_truth_field")
	}
	if err := known(d.Name, m, keys); err != nil {
		return nil, err
	}
	r := &fieldReader{d: d, m: m}
	d.Weight = r.number("weight", 0, 1, true, true)
	if d.Primitive != TimeDecay {
		d.Field, d.Truth = r.text("field"), r.text("ground_truth_field")
	}
	d.CaseSensitive, d.Trim, d.Relative = r.flag("case_sensitive", true), r.flag("trim", false), r.flag("relative", false)
	d.Normalize = r.word("normalize", "none", "none", "nfc")
	d.Extra = r.word("extra", "ignore", "ignore", "penalize")
	d.Decay = r.word("decay", "none", "none", "linear")
	d.Mode = r.word("mode", "share", "share", "all")
	if d.Primitive == SetOverlap {
		d.Method = r.word("method", "", "intersection", "jaccard")
	}
	if d.Primitive == NumericTolerance {
		d.tolerance = r.decimal("tolerance", true)
		if z := r.decimal("zero_at", false); z != nil {
			d.zeroAt = z
		}
		if r.err == nil && d.zeroAt.Cmp(big.NewRat(1, 1)) <= 0 {
			r.fail("zero_at must be above 1")
		}
	}
	d.Min = r.number("min", 0, 1, false, false)
	if d.Primitive == TimeDecay {
		d.TimeLimit = r.number("time_limit_secs", 0, math.MaxFloat64, true, true)
		d.RequiresScore, _ = m["requires_score"].(string)
	}
	return d, r.err
}

// fieldReader reads the keys of a dimension, and keeps the first fault.
type fieldReader struct {
	d   *Dimension
	m   map[string]any
	err error
}

func (r *fieldReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &SpecError{r.d.Name, fmt.Sprintf(format, args...)}
	}
}

func (r *fieldReader) decimal(key string, needed bool) *big.Rat {
	v, there := r.m[key]
	if !there && !needed {
		return nil
	}
	n, ok := number(v)
	if !ok || n.Sign() < 0 {
		r.fail("%s must be a number of 0 or more", key)
		return new(big.Rat)
	}
	return n
}

func (r *fieldReader) number(key string, least, most float64, needed, above bool) float64 {
	v, there := r.m[key]
	if !there && !needed {
		return least
	}
	n, ok := v.(json.Number)
	f, err := n.Float64()
	if !ok || err != nil || f < least || f > most || above && f <= least {
		r.fail("%s must be a number above %g and at most %g", key, least, most)
		return least
	}
	return f
}

func (r *fieldReader) text(key string) string {
	s, ok := r.m[key].(string)
	if !ok || s == "" {
		r.fail("%s must name a value, as in \"answers.count\" or \"/answers/count\"", key)
	}
	return s
}

func (r *fieldReader) flag(key string, other bool) bool {
	v, there := r.m[key]
	if !there {
		return other
	}
	b, ok := v.(bool)
	if !ok {
		r.fail("%s must be true or false", key)
	}
	return b
}

func (r *fieldReader) word(key, other string, words ...string) string {
	v, there := r.m[key]
	if !there && other != "" {
		return other
	}
	s, ok := v.(string)
	if !ok || !slices.Contains(words, s) {
		r.fail("%s must be %s", key, strings.Join(words, " or "))
	}
	return s
}
