package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/seatrial/seatrial/internal/nearest"
)

// Spec says how answers become scores.
type Spec struct {
	Dimensions []Dimension
}

// Dimension is one score.
type Dimension struct {
	Name      string
	Weight    float64 // of the total, divided by the sum of all
	Primitive string
	Field     string // in the submission
	Truth     string // in the expected answers

	CaseSensitive bool
	Normalize     string // "none" or "nfc"
	Trim          bool
	Extra         string // "ignore" or "penalize"
	Relative      bool
	Decay         string // "none" or "linear"
	Mode          string // "share" or "all"
	Min           float64
	TimeLimit     float64 // seconds
	RequiresScore string  // another dimension that must be above 0
	Method        string  // "intersection" or "jaccard"

	tolerance, zeroAt *big.Rat
}

func (d *Dimension) texts() texts {
	return texts{fold: !d.CaseSensitive, nfc: d.Normalize == "nfc", trim: d.Trim}
}

const maxDimensions = 50

// The names of the primitives.
const (
	ExactMatch       = "exact_match"
	ExactMatchRatio  = "exact_match_ratio"
	NumericTolerance = "numeric_tolerance"
	FuzzyString      = "fuzzy_string"
	TimeDecay        = "time_decay"
	CoverageRatio    = "coverage_ratio"
	SetOverlap       = "set_overlap"
)

// options are the keys of a dimension besides those that all have, by primitive.
func options() map[string][]string {
	text := []string{"case_sensitive", "normalize", "trim"}
	return map[string][]string{
		ExactMatch: text, ExactMatchRatio: append([]string{"extra"}, text...), NumericTolerance: {"tolerance", "decay", "zero_at", "relative", "mode"}, FuzzyString: {"min"},
		TimeDecay: {"time_limit_secs", "requires_score"}, CoverageRatio: text, SetOverlap: append([]string{"method"}, text...),
	}
}

// ParseJSON reads a specification, or answers, as JSON: one value, numbers as they are written.
func ParseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not JSON: something follows the value")
	}
	return v, nil
}

// ParseSpec reads a specification, as TOML or JSON. The error is a *SpecError.
func ParseSpec(data []byte, isTOML bool) (*Spec, error) {
	var v any
	if isTOML {
		m := map[string]any{}
		if err := toml.Unmarshal(data, &m); err != nil {
			return nil, &SpecError{What: "not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
		}
		v = plain(m)
	} else {
		var err error
		if v, err = ParseJSON(data); err != nil {
			return nil, &SpecError{What: err.Error()}
		}
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, &SpecError{What: "must be an object"}
	}
	if err := known("", root, []string{"type", "dimensions"}); err != nil {
		return nil, err
	}
	if t := root["type"]; t != "deterministic" {
		return nil, &SpecError{What: fmt.Sprintf("type must be \"deterministic\", and is %v", t)}
	}
	list, _ := root["dimensions"].([]any)
	if len(list) == 0 || len(list) > maxDimensions {
		return nil, &SpecError{What: fmt.Sprintf("dimensions must be a list of 1 to %d", maxDimensions)}
	}
	s := &Spec{}
	for i, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, &SpecError{What: fmt.Sprintf("dimension %d must be an object", i+1)}
		}
		d, err := dimension(i, m)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s.Dimensions, func(o Dimension) bool { return o.Name == d.Name }) {
			return nil, &SpecError{d.Name, "there is another of this name"}
		}
		s.Dimensions = append(s.Dimensions, *d)
	}
	return s, s.check()
}

// check looks at what several dimensions have to do with one another.
func (s *Spec) check() error {
	var sum float64
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		sum += d.Weight
		if d.RequiresScore != "" && (d.RequiresScore == d.Name || !slices.ContainsFunc(s.Dimensions, func(o Dimension) bool { return o.Name == d.RequiresScore && o.Primitive != TimeDecay })) {
			return &SpecError{d.Name, fmt.Sprintf("requires_score names %q, which is no other dimension that is scored without the time", d.RequiresScore)}
		}
	}
	if math.Abs(sum-1) > 0.001 {
		return &SpecError{What: fmt.Sprintf("the weights must add up to 1, and are %g", sum)}
	}
	return nil
}

// plain turns what the TOML library reads into the values of JSON.
func plain(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = plain(e)
		}
		return out
	case int64:
		return json.Number(strconv.FormatInt(x, 10))
	case float64:
		return json.Number(strconv.FormatFloat(x, 'g', -1, 64))
	case string, bool:
		return x
	}
	return fmt.Sprint(v)
}

func known(dimension string, m map[string]any, keys []string) error {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(keys, k) {
			continue
		}
		what := fmt.Sprintf("unknown key %q", k)
		if near := nearest.Of(k, keys); near != "" {
			what += fmt.Sprintf("; did you mean %q?", near)
		}
		return &SpecError{dimension, what}
	}
	return nil
}
