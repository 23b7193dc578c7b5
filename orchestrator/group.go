package orchestrator

import (
	"fmt"
	"slices"

	"github.com/seatrial/seatrial/verifier"
)

// Group makes one case of its trials, which are of one task and in the order of their numbers; there is at least one. The score is the mean over the complete
// trials that have one. The case is complete when at least one trial is, and none is incomplete or missing; with partial, incomplete and missing ones are left out instead.
// wanted is how many there were to be.
func Group(trials []Case, wanted int, partial bool) Case {
	c := trials[0]
	c.Trial, c.Tries, c.Trials = 0, nil, trials
	c.Score, c.ScoreDerived, c.Scores, c.Error, c.Steps, c.ContractVersion = nil, false, []verifier.Score{}, nil, nil, nil
	c.Warnings, c.Artifacts, c.Result, c.Timing = []Warning{}, Artifacts{Fakes: []string{}}, Result{}, Timing{}
	var scores []float64
	complete := 0
	for i := range trials {
		t := &trials[i]
		c.Timing.add(&t.Timing)
		c.Result.join(&t.Result)
		if t.Status != Complete {
			if c.Error == nil {
				c.Error = t.Error
			}
			continue
		}
		complete++
		c.ContractVersion = t.ContractVersion
		c.ScoreDerived = c.ScoreDerived || t.ScoreDerived
		if t.Score != nil {
			scores = append(scores, *t.Score)
		}
	}
	if complete > 0 && (partial || complete == wanted) {
		c.Status, c.Error, c.Score, c.Scores = Complete, nil, mean(scores), means(trials)
		return c
	}
	c.Status, c.ContractVersion, c.ScoreDerived = Incomplete, nil, false
	if c.Error == nil {
		c.Error = &Fault{Code: CodeInterrupted, Phase: "setup", Message: fmt.Sprintf("%d of %d trials were not run", wanted-len(trials), wanted)}
	}
	return c
}

// means are the scores of the complete trials, dimension by dimension. Reasons stay with the trials.
func means(trials []Case) []verifier.Score {
	var names []string
	values := map[string][]float64{}
	for _, t := range trials {
		if t.Status != Complete {
			continue
		}
		for _, s := range t.Scores {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
			if s.Value != nil {
				values[s.Name] = append(values[s.Name], *s.Value)
			}
		}
	}
	slices.Sort(names)
	out := []verifier.Score{}
	for _, name := range names {
		s := verifier.Score{Name: name, Value: mean(values[name]), Status: verifier.StatusScored, Criteria: []verifier.Criterion{}}
		if s.Value == nil {
			s.Status = verifier.StatusNotApplicable
		}
		out = append(out, s)
	}
	return out
}

// add sums up what several trials took.
func (t *Timing) add(o *Timing) {
	for _, p := range []struct{ into, from **float64 }{
		{&t.Build, &o.Build}, {&t.Start, &o.Start}, {&t.Prepare, &o.Prepare}, {&t.Setup, &o.Setup}, {&t.AgentSetup, &o.AgentSetup}, {&t.Agent, &o.Agent},
		{&t.Collect, &o.Collect}, {&t.Verifier, &o.Verifier}, {&t.Teardown, &o.Teardown}, {&t.Queued, &o.Queued},
	} {
		*p.into = sum(*p.into, *p.from)
	}
	t.Total += o.Total
}

// join sums up what several trials cost. The model is that of the first that says one.
func (r *Result) join(o *Result) {
	if r.ObservedModel == nil {
		r.ObservedModel = o.ObservedModel
	}
	r.Cost = sum(r.Cost, o.Cost)
	if o.Tokens != nil {
		if r.Tokens == nil {
			r.Tokens = &Tokens{}
		}
		r.Tokens.Input, r.Tokens.Cached, r.Tokens.Output = sum(r.Tokens.Input, o.Tokens.Input), sum(r.Tokens.Cached, o.Tokens.Cached), sum(r.Tokens.Output, o.Tokens.Output)
	}
}
