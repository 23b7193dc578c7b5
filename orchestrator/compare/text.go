package compare

import (
	"fmt"
	"io"
	"strings"
)

// mostDifferences bounds what is said of the differences of runs: a new base image alone makes one of each image.
const mostDifferences = 20

// WriteText writes a comparison for people at a terminal.
func WriteText(w io.Writer, c *Comparison) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("old: %s", c.Old.line())
	line("new: %s", c.New.line())
	for _, d := range c.Differences[:min(mostDifferences, len(c.Differences))] {
		line("differs: %s", d)
	}
	if more := len(c.Differences) - mostDifferences; more > 0 {
		line("differs: %d more", more)
	}
	if in := c.inCases(); len(in) > 0 {
		line("differs: %s", strings.Join(in, ", "))
	}
	line("%s", c.totals())
	for _, l := range append(c.means(), c.passLines()...) {
		line("%s", l)
	}
	for _, g := range c.Groups {
		for _, d := range g.Dimensions {
			line("dimension %s: %s -> %s, %s (%s)", clean(d.Name), number(d.Old), number(d.New), signed(d.Delta), plural(d.Cases, "case"))
		}
	}
	for _, part := range []struct{ title, outcome string }{{"regressions", Regression}, {"improvements", Improvement}, {"not comparable", NotComparable}} {
		pairs := c.With(part.outcome)
		if len(pairs) > 0 {
			line("\n%s:", part.title)
		}
		for _, p := range pairs {
			line("  %s", p.line())
			for _, d := range p.moved(c.MinDelta) {
				line("      %s: %s", clean(d.Name), d.change())
			}
		}
	}
	for _, part := range []struct {
		title string
		cases []Lone
	}{{"added", c.Added}, {"removed", c.Removed}} {
		if len(part.cases) > 0 {
			line("\n%s:", part.title)
		}
		for _, l := range part.cases {
			line("  %s: %s", clean(l.ID), l.score())
		}
	}
	if c.New.Missing > 0 {
		line("\n%s; what was removed may be among them", c.New.notRun())
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("the comparison: %w", err)
	}
	return nil
}

// notRun says how many of NEW's cases were not run.
func (s *Side) notRun() string {
	if s.Missing == 1 {
		return "1 planned case of NEW was not run"
	}
	return fmt.Sprintf("%d planned cases of NEW were not run", s.Missing)
}

func (s *Side) line() string {
	l := clean(s.RunID) + ", agent " + clean(s.Agent)
	if s.AgentVersion != "" {
		l += " " + clean(s.AgentVersion)
	}
	if s.Model != nil {
		l += ", model " + clean(*s.Model)
	}
	if s.Trials > 1 {
		l += fmt.Sprintf(", %d trials of each case", s.Trials)
	}
	l += fmt.Sprintf(": %s, %d scored, mean %s", plural(s.Cases, "case"), s.Scored, numberOr(s.MeanScore))
	l += some(s.NoScore, "without a score") + some(s.Incomplete, "incomplete") + some(s.Missing, "not run")
	if s.Status != "finished" {
		l += " (" + clean(s.Status) + ")"
	}
	return l
}

// some goes on in a list, unless there is none.
func some(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %s", n, what)
}

func (p *Pair) line() string {
	l := clean(p.ID)
	if p.OldID != "" {
		l += " (was " + clean(p.OldID) + ")"
	}
	if p.Delta == nil {
		l += ": " + p.why() + " (" + clean(p.Old.score()) + " -> " + clean(p.New.score()) + ")"
	} else {
		l += ": " + p.Old.score() + " -> " + p.New.score() + ", " + signed(*p.Delta)
	}
	if s := p.passed(); s != "" {
		l += ", " + s
	}
	if k := p.kinds(); len(k) > 0 {
		l += " [" + strings.Join(k, ", ") + " differs]"
	}
	return l
}

func (l *Lone) score() string {
	switch {
	case l.Score != nil:
		return number(*l.Score)
	case l.Status == "complete":
		return "no score"
	}
	return clean(l.Status)
}
