package compare

import (
	"fmt"
	"math"
)

// score shows how a side came out: its score, or why it has none.
func (o *Outcome) score() string {
	switch {
	case o.Score != nil:
		s := number(*o.Score)
		if o.ScoreDerived {
			s += " (mean)"
		}
		return s
	case o.ErrorCode != "":
		return o.ErrorCode
	}
	return "no score"
}

// why says in words why a pair cannot be compared.
func (p *Pair) why() string {
	switch p.Reason {
	case OldIncomplete:
		return "OLD is incomplete"
	case NewIncomplete:
		return "NEW is incomplete"
	case BothIncomplete:
		return "both are incomplete"
	case OldNoScore:
		return "OLD has no score"
	case NewNoScore:
		return "NEW has no score"
	case BothNoScore:
		return "neither has a score"
	case RulesDiffer:
		return "one is scored by the rewards contract, the other in Harbor's form"
	}
	return p.Reason
}

// totals are the counts in a line.
func (c *Comparison) totals() string {
	n := &c.Counts
	return fmt.Sprintf("%s, %s, %d unchanged; %d not comparable, %d added, %d removed", plural(n.Regressions, "regression"), plural(n.Improvements, "improvement"), n.Unchanged,
		n.NotComparable, n.Added, n.Removed)
}

// means are the lines on the means of each group.
func (c *Comparison) means() []string {
	var out []string
	for _, g := range c.Groups {
		what := ""
		if len(c.Groups) > 1 {
			what = " by " + map[string]string{Contract: "the rewards contract", Harbor: "Harbor's form"}[g.Rules]
		}
		line := fmt.Sprintf("mean of the %s compared%s: %s -> %s, %s", plural(g.Cases, "case"), what, number(g.Old), number(g.New), signed(g.Delta))
		if g.Interval != nil {
			line += fmt.Sprintf(" (95 %% interval %s to %s)", signed(g.Interval.Low), signed(g.Interval.High))
		}
		out = append(out, line)
	}
	return out
}

// passLines are the lines on passing.
func (c *Comparison) passLines() []string {
	if c.Passes == nil {
		return nil
	}
	old, young := c.Passes.Old.ByK, c.Passes.New.ByK
	out := []string{}
	for k := range min(len(old), len(young)) {
		a, b := &old[k], &young[k]
		last := k+1 == min(len(old), len(young))
		const few = 5
		if a.At == nil || b.At == nil || k >= few && !last {
			continue
		}
		line := fmt.Sprintf("pass@%d %s -> %s", k+1, number(*a.At), number(*b.At))
		if k > 0 {
			line += fmt.Sprintf(", pass^%d %s -> %s", k+1, number(*a.Hat), number(*b.Hat))
		}
		line += fmt.Sprintf(" (%d and %s", a.Cases, plural(b.Cases, "case"))
		if k == 0 {
			line += fmt.Sprintf(", %d and %s, pass bar %s", c.Passes.Old.Trials, plural(c.Passes.New.Trials, "trial"), number(c.Passes.Old.Bar))
		}
		out = append(out, line+")")
	}
	return out
}

// inCases counts what differs in cases, by kind.
func (c *Comparison) inCases() []string {
	counts := map[string]int{}
	for i := range c.Cases {
		for _, d := range c.Cases[i].Differences {
			counts[d.What]++
		}
	}
	var out []string
	for _, kind := range Kinds() {
		if counts[kind] > 0 {
			out = append(out, fmt.Sprintf("%s in %s", kind, plural(counts[kind], "case")))
		}
	}
	return out
}

// kinds are the kinds of differences of a pair.
func (p *Pair) kinds() []string {
	var out []string
	for _, d := range p.Differences {
		out = append(out, d.What)
	}
	return out
}

// moved are the dimensions of a pair that are not the same on both sides.
func (p *Pair) moved(minDelta float64) []Dimension {
	var out []Dimension
	for _, d := range p.Dimensions {
		if d.Delta != nil && math.Abs(*d.Delta) <= minDelta || d.Status == NotApplicable && d.Old == nil && d.New == nil {
			continue
		}
		out = append(out, d)
	}
	return out
}

// change is how a dimension moved, in a few words without its name.
func (d *Dimension) change() string {
	side := func(v *float64, there bool) string {
		switch {
		case !there:
			return "not there"
		case v == nil:
			return "not applicable"
		}
		return number(*v)
	}
	s := side(d.Old, d.Status != OnlyNew) + " -> " + side(d.New, d.Status != OnlyOld)
	if d.Delta != nil {
		s += ", " + signed(*d.Delta)
	}
	return s
}

// passed says how many trials of a pair passed.
func (p *Pair) passed() string {
	if p.Old.Passed == nil || p.New.Passed == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d -> %d of %d passed", *p.Old.Passed, p.Old.Trials, *p.New.Passed, p.New.Trials)
}
