package compare

import (
	"fmt"
	"io"
	"strings"
)

// mostRows bounds each table, since a comment on a code host has a largest size.
const mostRows = 50

// WriteMarkdown writes a comparison as a comment on a pull request. What comes from the runs stands in code, and cannot be taken for markup.
func WriteMarkdown(w io.Writer, c *Comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", c.totals())
	for _, l := range append(c.means(), c.passLines()...) {
		fmt.Fprintf(&b, "\n- %s", prose(l))
	}
	if len(c.Groups) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("\n")
	c.sides(&b)
	for _, d := range c.Differences[:min(mostDifferences, len(c.Differences))] {
		of := ""
		if d.Of != "" {
			of = " of " + code(d.Of)
		}
		fmt.Fprintf(&b, "- differs: %s%s, %s → %s\n", d.What, of, code(d.Old), code(d.New))
	}
	if more := len(c.Differences) - mostDifferences; more > 0 {
		fmt.Fprintf(&b, "- differs: %d more\n", more)
	}
	for _, in := range c.inCases() {
		fmt.Fprintf(&b, "- differs: %s\n", in)
	}
	c.tables(&b)
	if c.New.Missing > 0 {
		fmt.Fprintf(&b, "\n%s; what was removed may be among them.\n", c.New.notRun())
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("the comparison: %w", err)
	}
	return nil
}

// sides is the table of the two runs.
func (c *Comparison) sides(b *strings.Builder) {
	row := func(what string, of func(*Side) string) {
		fmt.Fprintf(b, "| %s | %s | %s |\n", what, of(&c.Old), of(&c.New))
	}
	b.WriteString("| | old | new |\n|---|---|---|\n")
	row("run", func(s *Side) string {
		if s.Status != "finished" {
			return code(s.RunID) + " (" + code(s.Status) + ")"
		}
		return code(s.RunID)
	})
	row("agent", func(s *Side) string { return code(strings.TrimSpace(s.Agent + " " + s.AgentVersion)) })
	row("model", func(s *Side) string {
		if s.Model == nil {
			return none
		}
		return code(*s.Model)
	})
	row("cases", func(s *Side) string { return fmt.Sprint(s.Cases) })
	row("scored", func(s *Side) string { return fmt.Sprint(s.Scored) })
	row("incomplete", func(s *Side) string { return fmt.Sprint(s.Incomplete) })
	row("mean score", func(s *Side) string { return numberOr(s.MeanScore) })
	b.WriteString("\n")
}

func (c *Comparison) tables(b *strings.Builder) {
	for _, part := range []struct{ title, outcome string }{{"Regressions", Regression}, {"Improvements", Improvement}} {
		var rows [][]string
		for _, p := range c.With(part.outcome) {
			rows = append(rows, []string{p.name(), prose(p.Old.score()), prose(p.New.score()), signed(*p.Delta), p.details(c.MinDelta)})
		}
		table(b, part.title, []string{"case", "old", "new", "delta", "more"}, rows)
	}
	var rows [][]string
	for _, p := range c.With(NotComparable) {
		rows = append(rows, []string{p.name(), code(p.Old.score()), code(p.New.score()), p.why()})
	}
	table(b, "Not comparable", []string{"case", "old", "new", "why"}, rows)
	for _, part := range []struct {
		title string
		cases []Lone
	}{{"Added", c.Added}, {"Removed", c.Removed}} {
		rows = nil
		for _, l := range part.cases {
			rows = append(rows, []string{code(l.ID), escape(l.score())})
		}
		table(b, part.title, []string{"case", "score"}, rows)
	}
}

func table(b *strings.Builder, title string, heads []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n#### %s\n\n| %s |\n|%s\n", title, strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, r := range rows[:min(mostRows, len(rows))] {
		fmt.Fprintf(b, "| %s |\n", strings.Join(r, " | "))
	}
	if more := len(rows) - mostRows; more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
}

func (p *Pair) name() string {
	if p.OldID != "" {
		return code(p.ID) + " (was " + code(p.OldID) + ")"
	}
	return code(p.ID)
}

// details are the dimensions that moved, how many trials passed, and what else differs.
func (p *Pair) details(minDelta float64) string {
	var parts []string
	moved := p.moved(minDelta)
	const few = 5
	for _, d := range moved[:min(few, len(moved))] {
		parts = append(parts, code(d.Name)+": "+prose(d.change()))
	}
	if more := len(moved) - few; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more dimensions", more))
	}
	if s := p.passed(); s != "" {
		parts = append(parts, prose(s))
	}
	if k := p.kinds(); len(k) > 0 {
		parts = append(parts, strings.Join(k, ", ")+" differs")
	}
	return strings.Join(parts, "; ")
}

// code makes foreign text stand as code, whatever it holds.
func code(s string) string {
	if s = clean(s); s == "" {
		return ""
	}
	return "<code>" + escape(s) + "</code>"
}

// prose is text of our own, with arrows as Markdown shows them.
func prose(s string) string { return strings.ReplaceAll(s, "->", "→") }

// escape makes text stand as it is in Markdown and HTML. What could be markup, a mention, a reference or a link becomes an entity.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 && strings.ContainsRune("&<>|*_`~[]()!\\#@$:\"'^{}=", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(b.String(), "www.", "www&#46;")
}
