package difftrial

import (
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier"
)

// outcomes compares what the trials came to: status, score and error, of the trial and of its steps.
func outcomes(was, now *orchestrator.TrialRecord) Section {
	s := section(Outcome)
	a, b := &was.Case, &now.Case
	s.value("status", some(a.Status), some(b.Status))
	s.score("score", val(a.Score), val(b.Score), false)
	s.detail("score_derived", a.ScoreDerived, b.ScoreDerived)
	s.detail("contract_version", val(a.ContractVersion), val(b.ContractVersion))
	faults(&s, "error.", a.Error, b.Error)
	for _, p := range steps(was, now) {
		x, y := p.old, p.new
		none := &orchestrator.StepResult{}
		if x == nil {
			x = none
		}
		if y == nil {
			y = none
		}
		name := "steps." + p.name + "."
		s.value(name+"status", some(x.Status), some(y.Status))
		s.score(name+"score", val(x.Score), val(y.Score), false)
		faults(&s, name+"error.", x.Error, y.Error)
	}
	return s
}

// faults compares errors. Messages and what was measured vary by nature.
func faults(s *Section, name string, was, now *orchestrator.Fault) {
	a, b := orchestrator.Fault{}, orchestrator.Fault{}
	if was != nil {
		a = *was
	}
	if now != nil {
		b = *now
	}
	for _, f := range []struct{ key, old, new string }{
		{"code", a.Code, b.Code}, {"phase", a.Phase, b.Phase}, {"step", a.Step, b.Step}, {"task_step", a.Task, b.Task}, {"key", a.Key, b.Key}, {"rule", a.Rule, b.Rule},
		{"service", a.Service, b.Service}, {"limit_source", a.Source, b.Source},
	} {
		s.value(name+f.key, some(f.old), some(f.new))
	}
	s.value(name+"exit", val(a.Exit), val(b.Exit))
	s.value(name+"limit_seconds", val(a.Limit), val(b.Limit))
	s.varying(name+"message", some(a.Message), some(b.Message))
}

// rewards compares the scores by dimension and criterion, of the trial and of its steps.
func rewards(was, now *orchestrator.TrialRecord) Section {
	s := section(Rewards)
	dimensions(&s, "", was.Case.Scores, now.Case.Scores)
	for _, p := range steps(was, now) {
		var a, b []verifier.Score
		if p.old != nil {
			a = p.old.Scores
		}
		if p.new != nil {
			b = p.new.Scores
		}
		dimensions(&s, "steps."+p.name+".", a, b)
	}
	return s
}

func dimensions(s *Section, before string, was, now []verifier.Score) {
	for _, p := range join(was, now, func(d *verifier.Score) string { return d.Name }) {
		var a, b []verifier.Criterion
		var x, y any
		if p.old != nil {
			a, x = p.old.Criteria, scored(p.old.Value, p.old.Status)
		}
		if p.new != nil {
			b, y = p.new.Criteria, scored(p.new.Value, p.new.Status)
		}
		s.score(before+p.name, x, y, false)
		criteria(s, before+p.name+": ", a, b)
	}
}

// criteria compares the reasons of a score. Reasoning varies by nature, and so does the text of an error, but not that there is one.
func criteria(s *Section, before string, was, now []verifier.Criterion) {
	for _, p := range join(was, now, func(c *verifier.Criterion) string { return c.Name }) {
		a, b := verifier.Criterion{}, verifier.Criterion{}
		var x, y any
		if p.old != nil {
			a, x = *p.old, scored(p.old.Value, p.old.Status)
		}
		if p.new != nil {
			b, y = *p.new, scored(p.new.Value, p.new.Status)
		}
		name := before + p.name
		s.score(name, x, y, true)
		if (a.Error == "") != (b.Error == "") {
			s.detail(name+", error", some(a.Error), some(b.Error))
		} else {
			s.varying(name+", error", some(a.Error), some(b.Error))
		}
		if a.Reasoning != b.Reasoning {
			s.varying(name+", reasoning", some(a.Reasoning), some(b.Reasoning))
		}
	}
}

// scored is a value, or the status where there is none.
func scored(value *float64, status string) any {
	switch {
	case value != nil:
		return *value
	case status == "":
		return "no value"
	}
	return status
}
