package verifier

import (
	"fmt"
	"maps"
	"slices"
)

// StepVerdict is the verdict of one step of a task that has several.
type StepVerdict struct {
	Name string
	Verdict
}

// RollUpOptions says how the verdicts of steps become one.
type RollUpOptions struct {
	// Final takes the last step's verdict as it is, instead of a mean.
	Final bool
	// Declared is how many steps the mean is over, those that never ran counting 0; 0 = over those with a verdict, as Harbor does it.
	Declared int
	// Harbor lifts the bounds of 0 and 1.
	Harbor bool
}

// RollUp makes one verdict of those of the steps that ran, in their order. None may have a fault.
//
// A dimension's value is its mean over the steps in which it is scored. A step that left it out without a word that it does not apply counts 0, as in
// Harbor, which is a warning. Steps in which nothing applied are left out. The reward rolls up like any dimension where each scored step has one; where only
// some have, the score is the mean of the steps' own scores, and derived.
func RollUp(steps []StepVerdict, opt RollUpOptions) Verdict {
	if len(steps) == 0 {
		return Verdict{Scores: []Score{}}
	}
	if opt.Final {
		v := steps[len(steps)-1].Verdict
		v.Warnings = nil // they are the step's
		return v
	}
	w := &warnings{}
	v := Verdict{Scores: []Score{}, ContractVersion: sameContract(steps)}
	scored := slices.DeleteFunc(slices.Clone(steps), func(s StepVerdict) bool { return s.Score == nil })
	left := max(0, opt.Declared-len(steps)) // steps that never ran
	rewards := 0
	for _, name := range dimensions(steps) {
		m, on := mean{n: left}, applies(scored, name)
		for _, s := range scored {
			switch d := find(s.Scores, name); {
			case d == nil:
				m.add(0)
				if on && name != RewardKey {
					w.add(WarnStepWithoutDimension, "step %s left %q out without saying that it does not apply; it counts 0", s.Name, name)
				}
			case d.Value != nil:
				m.add(*d.Value)
				if name == RewardKey {
					rewards++
				}
			}
		}
		d := Score{Name: name, Status: StatusNotApplicable, Criteria: []Criterion{}}
		if on {
			value := m.value(opt.Harbor)
			d.Value, d.Status = &value, StatusScored
		}
		v.Scores = append(v.Scores, d)
	}
	if rewards != len(scored) { // only some have one: it is no dimension of the whole
		v.Scores = slices.DeleteFunc(v.Scores, func(s Score) bool { return s.Name == RewardKey })
	}
	v.Score, v.Derived = rolledScore(scored, v.Scores, rewards, left, opt.Harbor)
	v.Warnings = w.all()
	return v
}

// rolledScore is the score of the whole.
func rolledScore(scored []StepVerdict, scores []Score, rewards, left int, harbor bool) (*float64, bool) {
	if len(scored) == 0 {
		return nil, false
	}
	m := mean{n: left}
	switch {
	case rewards == len(scored):
		return find(scores, RewardKey).Value, false
	case rewards > 0:
		for _, s := range scored {
			m.add(*s.Score)
		}
	default:
		m.n = 0
		for _, d := range scores {
			if d.Value != nil {
				m.add(*d.Value)
			}
		}
	}
	value := m.value(harbor)
	return &value, true
}

// mean adds up in the order in which it is told.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m *mean) value(harbor bool) float64 {
	v := m.sum / float64(max(1, m.n))
	if harbor {
		return v
	}
	return max(0, min(1, v)) // rounding
}

// dimensions are the names of all scores, sorted.
func dimensions(steps []StepVerdict) []string {
	names := map[string]bool{}
	for _, s := range steps {
		for _, d := range s.Scores {
			names[d.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func find(scores []Score, name string) *Score {
	if i := slices.IndexFunc(scores, func(s Score) bool { return s.Name == name }); i >= 0 {
		return &scores[i]
	}
	return nil
}

// applies says whether a dimension has a value in any step.
func applies(steps []StepVerdict, name string) bool {
	return slices.ContainsFunc(steps, func(s StepVerdict) bool { d := find(s.Scores, name); return d != nil && d.Value != nil })
}

func sameContract(steps []StepVerdict) *int {
	first := steps[0].ContractVersion
	for _, s := range steps {
		if first == nil || s.ContractVersion == nil || *s.ContractVersion != *first {
			return nil
		}
	}
	return first
}

// Unmet returns what keeps the step after this one from happening, as a sentence, or "". least holds the least value by dimension; under RewardKey it is the
// step's score. What has no value does not meet its least.
func Unmet(v Verdict, least map[string]float64) string {
	for _, name := range slices.Sorted(maps.Keys(least)) {
		value := v.Score
		if name != RewardKey {
			value = nil
			if d := find(v.Scores, name); d != nil {
				value = d.Value
			}
		}
		if value == nil {
			return fmt.Sprintf("%q has no value, and at least %v is wanted", name, least[name])
		}
		if *value < least[name] {
			return fmt.Sprintf("%q is %v, and at least %v is wanted", name, *value, least[name])
		}
	}
	return ""
}
