package compare

import (
	"cmp"
	"slices"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/stats"
)

// DefaultMinDelta is how far a score must move to count as moved, where nobody says otherwise: farther than rounding moves it.
const DefaultMinDelta = 1e-9

// Options are how runs are compared.
type Options struct {
	// MinDelta is how far a score must move, at least, before it is a regression or an improvement; it is not negative.
	MinDelta float64
	// PassBar is the score from which on a trial has passed; nil = orchestrator.DefaultPassBar, and only where a run has several trials of a case.
	PassBar *float64
}

// Compare says what changed from one run to another. An error is an *AmbiguousError.
func Compare(was, now *orchestrator.RunRecord, o Options) (*Comparison, error) {
	j, err := join(was.Cases, now.Cases)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Format: Format, SchemaVersion: SchemaVersion, Old: side(was), New: side(now), MinDelta: o.MinDelta, Differences: ofRuns(was, now),
		Groups: []Group{}, Cases: []Pair{}, Added: []Lone{}, Removed: []Lone{}}
	bar := passBar(o, was, now)
	groups := map[string]*sums{}
	var before, after []orchestrator.Case // of the pairs that can be compared
	for i, n := range j.partner {
		if n < 0 {
			c.Removed = append(c.Removed, lone(&was.Cases[i]))
			continue
		}
		old, young := &was.Cases[i], &now.Cases[n]
		p := pair(old, young, bar, o.MinDelta)
		p.Differences = ofCases(old, young, was.Spec.Trials == now.Spec.Trials)
		if p.JoinedBy = ByID; j.legacy[i] {
			p.JoinedBy = ByLegacyID
		}
		c.Cases = append(c.Cases, p)
		if p.Delta != nil {
			before, after = append(before, *old), append(after, *young)
			rules := rulesOf(young)
			if groups[rules] == nil {
				groups[rules] = &sums{dimensions: map[string]*sums{}}
			}
			groups[rules].take(&p)
		}
	}
	for _, n := range j.lone {
		c.Added = append(c.Added, lone(&now.Cases[n]))
	}
	for _, rules := range []string{Contract, Harbor} {
		if s := groups[rules]; s != nil {
			c.Groups = append(c.Groups, s.group(rules))
		}
	}
	if bar != nil {
		c.Passes = &Passes{Old: orchestrator.MeasurePasses(before, *bar), New: orchestrator.MeasurePasses(after, *bar)}
	}
	c.sort()
	c.count()
	return c, nil
}

// passBar is the bar to count passes by; nil = they are not to be counted.
func passBar(o Options, runs ...*orchestrator.RunRecord) *float64 {
	if o.PassBar != nil {
		return o.PassBar
	}
	for _, r := range runs {
		if slices.ContainsFunc(r.Cases, func(c orchestrator.Case) bool { return len(c.Trials) > 1 }) {
			bar := orchestrator.DefaultPassBar
			return &bar
		}
	}
	return nil
}

func side(r *orchestrator.RunRecord) Side {
	s := orchestrator.Summarize(r.Cases, 0)
	return Side{RunID: r.RunID, Status: r.Status, StartedAt: r.StartedAt, Tool: r.Tool.Version, Agent: r.Candidate.Agent, AgentVersion: r.Candidate.Version, Model: r.Candidate.Model,
		Trials: r.Spec.Trials, Cases: s.Total, Scored: s.Scored, NoScore: s.NoScore, Incomplete: s.Incomplete, Missing: max(0, r.Summary.Missing), MeanScore: s.MeanScore}
}

func lone(c *orchestrator.Case) Lone {
	l := Lone{ID: c.ID, Status: c.Status, Score: c.Score}
	if c.LegacyID != c.ID {
		l.LegacyID = c.LegacyID
	}
	return l
}

func (c *Comparison) sort() {
	slices.SortFunc(c.Cases, func(a, b Pair) int { return cmp.Compare(a.ID, b.ID) })
	for _, l := range [][]Lone{c.Added, c.Removed} {
		slices.SortFunc(l, func(a, b Lone) int { return cmp.Compare(a.ID, b.ID) })
	}
}

func (c *Comparison) count() {
	n := &c.Counts
	n.Added, n.Removed = len(c.Added), len(c.Removed)
	for i := range c.Cases {
		switch c.Cases[i].Outcome {
		case Regression:
			n.Regressions++
		case Improvement:
			n.Improvements++
		case Unchanged:
			n.Unchanged++
		default:
			n.NotComparable++
		}
	}
	n.Compared = n.Regressions + n.Improvements + n.Unchanged
}

// With are the pairs with an outcome: what moved most first, else by id.
func (c *Comparison) With(outcome string) []*Pair {
	var out []*Pair
	for i := range c.Cases {
		if c.Cases[i].Outcome == outcome {
			out = append(out, &c.Cases[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *Pair) int {
		switch {
		case a.Delta == nil || b.Delta == nil:
			return 0
		case outcome == Regression:
			return cmp.Compare(*a.Delta, *b.Delta)
		}
		return cmp.Compare(*b.Delta, *a.Delta)
	})
	return out
}

// sums collects what the compared cases of a group come to.
type sums struct {
	was, now, deltas []float64
	dimensions       map[string]*sums
}

func (s *sums) add(was, now, delta float64) {
	s.was, s.now, s.deltas = append(s.was, was), append(s.now, now), append(s.deltas, delta)
}

func (s *sums) take(p *Pair) {
	s.add(*p.Old.Score, *p.New.Score, *p.Delta)
	for _, d := range p.Dimensions {
		if d.Delta == nil {
			continue
		}
		if s.dimensions[d.Name] == nil {
			s.dimensions[d.Name] = &sums{}
		}
		s.dimensions[d.Name].add(*d.Old, *d.New, *d.Delta)
	}
}

func (s *sums) group(rules string) Group {
	g := Group{Rules: rules, Cases: len(s.was), Old: *stats.Mean(s.was), New: *stats.Mean(s.now), Delta: *stats.Mean(s.deltas), Interval: stats.MeanInterval(s.deltas), Dimensions: []DimensionGroup{}}
	if rules == Contract {
		g.Interval = g.Interval.Clamp(-1, 1)
	}
	for name, d := range s.dimensions {
		g.Dimensions = append(g.Dimensions, DimensionGroup{Name: name, Cases: len(d.was), Old: *stats.Mean(d.was), New: *stats.Mean(d.now), Delta: *stats.Mean(d.deltas)})
	}
	slices.SortFunc(g.Dimensions, func(a, b DimensionGroup) int { return cmp.Compare(a.Name, b.Name) })
	return g
}
