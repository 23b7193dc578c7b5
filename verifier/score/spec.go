package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/seatrial/seatrial/internal/nearest"
)

// Spec says how answers become scores. ParseSpec makes one.
type Spec struct {
	dimensions []dimension
	weights    decimal // the sum
	// Custom is set for a specification whose scores a script comes to, which has no dimensions.
	Custom *Custom
	// Submission is the path of the answers in the agent's container, and Truth the name of the expected answers beside the specification. Both are for tasks
	// that are scored without a test script, and may be empty elsewhere.
	Submission, Truth string
}

const maxDimensions = 50

// ParseSpec reads a specification, as TOML or JSON. The error is a *SpecError.
func ParseSpec(data []byte, isTOML bool) (*Spec, error) {
	v, err := value(data, isTOML)
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, &SpecError{What: "must be an object, and is " + kind(v)}
	}
	s := &Spec{}
	if err := s.files(root); err != nil {
		return nil, err
	}
	switch root["type"] {
	case "deterministic":
	case "custom-script":
		var err error
		s.Custom, err = custom(root)
		return s, err
	default:
		return nil, &SpecError{Key: "type", What: "must be \"deterministic\" or \"custom-script\""}
	}
	if err := known("", root, []string{"type", "dimensions", "submission", "truth"}); err != nil {
		return nil, err
	}
	list, _ := root["dimensions"].([]any)
	if len(list) == 0 || len(list) > maxDimensions {
		return nil, &SpecError{Key: "dimensions", What: fmt.Sprintf("must be a list of 1 to %d", maxDimensions)}
	}
	for i, v := range list {
		d, err := readDimension(i+1, v)
		if err != nil {
			return nil, err
		}
		if s.named(d.name) != nil {
			return nil, &SpecError{d.name, "name", "there is another dimension of this name"}
		}
		s.dimensions, s.weights = append(s.dimensions, *d), s.weights.add(d.weight)
	}
	return s, s.check()
}

// value reads a specification as the values of JSON.
func value(data []byte, isTOML bool) (any, error) {
	if !isTOML {
		v, err := ParseTruth(data)
		if err != nil {
			return nil, &SpecError{What: err.Error()}
		}
		return v, nil
	}
	m := map[string]any{}
	if err := toml.Unmarshal(data, &m); err != nil {
		return nil, &SpecError{What: "not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return plain(m), nil
}

// Ungated are the dimensions that score time whatever was answered, so that a fast wrong answer scores.
func (s *Spec) Ungated() []string {
	var names []string
	for _, d := range s.dimensions {
		if d.primitive == TimeDecay && d.requires == "" {
			names = append(names, d.name)
		}
	}
	return names
}

func (s *Spec) named(name string) *dimension {
	for i := range s.dimensions {
		if s.dimensions[i].name == name {
			return &s.dimensions[i]
		}
	}
	return nil
}

// check looks at what several dimensions have to do with one another.
func (s *Spec) check() error {
	for _, d := range s.dimensions {
		if d.requires == "" {
			continue
		}
		if o := s.named(d.requires); o == nil || o.primitive == TimeDecay {
			return &SpecError{d.name, "requires_score", fmt.Sprintf("%q is no dimension that is scored by an answer", d.requires)}
		}
	}
	one, apart := decimal{digits: "1", point: 1}, decimal{digits: "1", point: -2} // 0.001
	if !between(s.weights, one, apart) {
		return &SpecError{Key: "weight", What: fmt.Sprintf("the weights of all dimensions must add up to 1, and come to %s", s.weights)}
	}
	return nil
}

// plain turns what the TOML library reads into the values of JSON. What JSON has not, a date or nan, stays as it is, and is no value that any key takes.
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
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return json.Number(strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	return v
}

func known(dimension string, m map[string]any, keys []string) error {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(keys, k) {
			return &SpecError{dimension, k, "unknown key" + meant(k, keys)}
		}
	}
	return nil
}

// meant asks for the nearest right word, if there is one.
func meant(word string, words []string) string {
	if near := nearest.Of(word, words); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
