package score

import (
	"cmp"
	"fmt"
)

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

// primitive is a way to score.
type primitive struct {
	options []string // the keys of a dimension besides those that all have
	// compare scores an answer by the expected one; nil where a score is not about an answer. The error is a *SpecError.
	compare func(d *dimension, s, e any) (Outcome, error)
}

func primitives() map[string]primitive {
	text := []string{"case_sensitive", "normalize", "trim"}
	return map[string]primitive{
		ExactMatch:       {text, exactMatch},
		ExactMatchRatio:  {append([]string{"extra"}, text...), exactMatchRatio},
		NumericTolerance: {[]string{"tolerance", "decay", "zero_at", "relative", "mode"}, numericTolerance},
		FuzzyString:      {[]string{"min"}, fuzzyString},
		TimeDecay:        {[]string{"time_limit_secs", "requires_score"}, nil},
		CoverageRatio:    {text, coverageRatio},
		SetOverlap:       {append([]string{"method"}, text...), setOverlap},
	}
}

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
	// Dimension is the name of the one that is wrong; empty where it is the specification as a whole, or a dimension without a name.
	Dimension string
	// Key is the one that is wrong; empty where it is none.
	Key string
	// What is wrong with it.
	What string
}

func (e *SpecError) Error() string {
	text := "the scoring specification: "
	if e.Dimension != "" {
		text = fmt.Sprintf("dimension %q of the scoring specification: ", e.Dimension)
	}
	if e.Key != "" {
		text += e.Key + ": "
	}
	return text + e.What
}

// unlike is what an answer of another type comes to.
func unlike(want string, got any) Outcome {
	return Outcome{Error: fmt.Sprintf("the answer is %s, and %s is wanted", kind(got), want), Why: "the answer cannot be compared"}
}

// expects is the fault of an expected answer of a type that the primitive cannot use.
func (d *dimension) expects(want string, got any) error {
	return &SpecError{d.name, "ground_truth_field", fmt.Sprintf("the expected answer at %s must be %s, and is %s", d.truth.text, want, kind(got))}
}

// lists are the answer and what is expected, where both are lists; else what that comes to.
func (d *dimension) lists(s, e any, expected string) (got, want []any, o *Outcome, err error) {
	want, ok := e.([]any)
	if !ok {
		return nil, nil, nil, d.expects(expected, e)
	}
	if got, ok = s.([]any); !ok {
		o := unlike("a list", s)
		return nil, nil, &o, nil
	}
	return got, want, nil, nil
}

func full(yes bool, why, not string) Outcome {
	if yes {
		return Outcome{Value: 1, Why: why}
	}
	return Outcome{Why: not}
}

// nothing is what an answer comes to where nothing was expected.
func nothing(got []any) Outcome {
	return full(len(got) == 0, "nothing was expected, and nothing is there", "nothing was expected, and something is there")
}

// part is a number of hits, of at least one.
func part(hits, of int, what string) Outcome {
	return Outcome{Value: float64(hits) / float64(of), Why: fmt.Sprintf("%d of %d %s", hits, of, what)}
}

func exactMatch(d *dimension, s, e any) (Outcome, error) {
	return full(d.texts.equal(s, e), "the answer is the expected one", "the answer is not the expected one"), nil
}

func exactMatchRatio(d *dimension, s, e any) (Outcome, error) {
	got, want, o, err := d.lists(s, e, "a list")
	if o != nil || err != nil {
		return *cmp.Or(o, &Outcome{}), err
	}
	if len(want) == 0 {
		return nothing(got), nil
	}
	hits := 0
	for i := range min(len(got), len(want)) {
		if d.texts.equal(got[i], want[i]) {
			hits++
		}
	}
	of := len(want)
	if d.penalize {
		of = max(of, len(got))
	}
	return part(hits, of, "are in their places"), nil
}
