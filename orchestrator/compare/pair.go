package compare

import (
	"slices"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/stats"
	"github.com/seatrial/seatrial/verifier"
)

// pair sets two results of a case against each other.
func pair(was, now *orchestrator.Case, bar *float64, minDelta float64) Pair {
	p := Pair{ID: now.ID, Old: outcome(was, bar), New: outcome(now, bar), Outcome: NotComparable, Reason: reason(was, now), Dimensions: []Dimension{}}
	if was.ID != now.ID {
		p.OldID = was.ID
	}
	if p.Reason != "" {
		return p
	}
	delta := stats.Finite(*now.Score - *was.Score)
	p.Delta, p.Dimensions = &delta, dimensions(was.Scores, now.Scores)
	switch {
	case delta < -minDelta:
		p.Outcome = Regression
	case delta > minDelta:
		p.Outcome = Improvement
	default:
		p.Outcome = Unchanged
	}
	return p
}

func outcome(c *orchestrator.Case, bar *float64) Outcome {
	o := Outcome{Status: c.Status, Score: c.Score, ScoreDerived: c.ScoreDerived}
	if c.Error != nil {
		o.ErrorCode = c.Error.Code
	}
	least := orchestrator.DefaultPassBar
	if bar != nil {
		least = *bar
	}
	n, passed := c.Tally(least)
	if o.Trials = n; bar != nil {
		o.Passed = &passed
	}
	return o
}

// reason says why two results cannot be compared; empty = they can.
func reason(was, now *orchestrator.Case) string {
	old, young := was.Status == orchestrator.Complete, now.Status == orchestrator.Complete
	switch {
	case !old && !young:
		return BothIncomplete
	case !old:
		return OldIncomplete
	case !young:
		return NewIncomplete
	case was.Score == nil && now.Score == nil:
		return BothNoScore
	case was.Score == nil:
		return OldNoScore
	case now.Score == nil:
		return NewNoScore
	case rulesOf(was) != rulesOf(now):
		return RulesDiffer
	}
	return ""
}

// rulesOf says which rules made a complete case's score.
func rulesOf(c *orchestrator.Case) string {
	if c.ContractVersion == nil {
		return Harbor
	}
	return Contract
}

// dimensions are those of either side, sorted by name. The reward is no dimension.
func dimensions(was, now []verifier.Score) []Dimension {
	old, young := named(was), named(now)
	var names []string
	for _, s := range slices.Concat(was, now) {
		if s.Name != verifier.RewardKey {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	out := []Dimension{}
	for _, name := range slices.Compact(names) {
		a, inOld := old[name]
		b, inNew := young[name]
		d := Dimension{Name: name, Old: a, New: b, Status: NotApplicable}
		switch {
		case !inNew:
			d.Status = OnlyOld
		case !inOld:
			d.Status = OnlyNew
		case a != nil && b != nil:
			delta := stats.Finite(*b - *a)
			d.Status, d.Delta = DimensionCompared, &delta
		}
		out = append(out, d)
	}
	return out
}

func named(scores []verifier.Score) map[string]*float64 {
	m := make(map[string]*float64, len(scores))
	for _, s := range scores {
		m[s.Name] = s.Value
	}
	return m
}
