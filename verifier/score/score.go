package score

// Result is the score of one dimension.
type Result struct {
	Name   string
	Weight float64 // as it counts: the weights of all add up to 1
	Outcome
	Primitive string
}

// Score scores a submission against the expected answers, as ParseSubmission and ParseTruth read them. seconds is how long the agent took; nil when that is
// not known. The error is a *SpecError: then there is no score.
func (s *Spec) Score(submission, truth any, seconds *float64) (total float64, results []Result, err error) {
	results = make([]Result, len(s.dimensions))
	scored := map[string]float64{} // by an answer
	for i := range s.dimensions {
		d := &s.dimensions[i]
		results[i] = Result{Name: d.name, Weight: share(d.weight, s.weights), Primitive: d.primitive}
		if d.compare == nil {
			continue
		}
		if results[i].Outcome, err = d.answer(submission, truth); err != nil {
			return 0, nil, err
		}
		scored[d.name] = results[i].Value
	}
	for i := range s.dimensions {
		d := &s.dimensions[i]
		if d.compare != nil {
			continue
		}
		if results[i].Outcome, err = d.timeDecay(seconds); err != nil {
			return 0, nil, err
		}
		if d.requires != "" && scored[d.requires] <= 0 {
			results[i].Outcome = Outcome{Why: "the time counts only where " + d.requires + " is above 0"}
		}
	}
	total, err = sum(results)
	return total, results, err
}

// answer scores a dimension that is about an answer. One that is not there is 0; the expected one is looked at all the same.
func (d *dimension) answer(submission, truth any) (Outcome, error) {
	e, ok := d.truth.in(truth)
	if !ok {
		return Outcome{}, &SpecError{d.name, "ground_truth_field", "the expected answers have no " + d.truth.text}
	}
	s, there := d.field.in(submission)
	o, err := d.compare(d, s, e)
	if err == nil && !there {
		o = Outcome{Why: "the submission has no " + d.field.text}
	}
	return o, err
}

// sum is the weighted total, from 0 to 1, in twelve decimals: floats that add up to almost 1 are 1.
func sum(results []Result) (total float64, err error) {
	for _, r := range results {
		if !(r.Value >= 0 && r.Value <= 1) { // NaN neither
			return 0, &SpecError{Dimension: r.Name, What: "came to no score from 0 to 1"}
		}
		total += r.Weight * r.Value
	}
	return rounded(total), nil
}
