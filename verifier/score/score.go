package score

import (
	"errors"
	"math"
)

// Result is the score of one dimension.
type Result struct {
	Name   string
	Weight float64 // as it counts: the weights of all add up to 1
	Outcome
	Primitive string
}

// Score scores a submission against the expected answers. seconds is how long the agent took; nil when that is not known. The error is a *SpecError: then
// there is no score.
func (s *Spec) Score(submission, truth any, seconds *float64) (total float64, results []Result, err error) {
	var sum float64
	for i := range s.Dimensions {
		sum += s.Dimensions[i].Weight
	}
	results = make([]Result, len(s.Dimensions))
	var timed []int
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		results[i] = Result{Name: d.Name, Weight: d.Weight / sum, Primitive: d.Primitive}
		if d.Primitive == TimeDecay {
			timed = append(timed, i)
			continue
		}
		if results[i].Outcome, err = d.compare(submission, truth); err != nil {
			return 0, nil, err
		}
	}
	for _, i := range timed {
		d := &s.Dimensions[i]
		if results[i].Outcome, err = timeDecay(d, seconds); err != nil {
			return 0, nil, err
		}
		if d.RequiresScore != "" && valueOf(results, d.RequiresScore) <= 0 {
			results[i].Outcome = Outcome{Why: "the time counts only where " + d.RequiresScore + " is above 0"}
		}
	}
	for _, r := range results {
		if math.IsNaN(r.Value) || r.Value < 0 || r.Value > 1 {
			return 0, nil, &SpecError{r.Name, "came to no score from 0 to 1"}
		}
		total += r.Weight * r.Value
	}
	const decimals = 1e12
	return max(0, min(1, math.Round(total*decimals)/decimals)), results, nil
}

func valueOf(results []Result, name string) float64 {
	for _, r := range results {
		if r.Name == name {
			return r.Value
		}
	}
	return 0
}

// compare scores one dimension that is about an answer. One that is not there is 0.
func (d *Dimension) compare(submission, truth any) (Outcome, error) {
	e, ok := at(truth, d.Truth)
	if !ok {
		return Outcome{}, &SpecError{d.Name, "the expected answers have no " + d.Truth}
	}
	s, there := at(submission, d.Field)
	if !there {
		s = nil
	}
	compare, ok := map[string]func(*Dimension, any, any) (Outcome, error){
		ExactMatch: exactMatch, ExactMatchRatio: exactMatchRatio, NumericTolerance: numericTolerance, FuzzyString: fuzzyString, CoverageRatio: coverageRatio, SetOverlap: setOverlap,
	}[d.Primitive]
	if !ok {
		return Outcome{}, &SpecError{d.Name, "there is no primitive " + d.Primitive}
	}
	o, err := compare(d, s, e)
	var fault *SpecError
	if errors.As(err, &fault) {
		return Outcome{}, err
	}
	if !there {
		return Outcome{Why: "the submission has no " + d.Field}, nil
	}
	return o, err
}
