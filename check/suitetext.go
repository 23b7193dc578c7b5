package check

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteCoverage writes a table of cases and tasks for people: each task in a line, with the case that it implements, and the cases without one last.
func WriteCoverage(w io.Writer, c *Coverage) error {
	broken := 0
	for _, t := range c.Tasks {
		if t.Error != "" {
			broken++
		}
	}
	head := fmt.Sprintf("%s: %s", c.Path, counted(len(c.Tasks), "task"))
	if c.Suite != "" {
		head += fmt.Sprintf(", %s, %d covered", counted(len(c.Cases), "case"), c.Covered())
	}
	if broken > 0 {
		head += fmt.Sprintf(", %d broken", broken)
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  CASE\tRUNNER\tTASK\tNOTE")
	for i := range c.Tasks {
		t := &c.Tasks[i]
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", cmp.Or(t.Case, "-"), cmp.Or(t.Runner, "-"), t.Dir, t.note())
	}
	for _, one := range c.Cases {
		if len(one.Tasks) == 0 {
			fmt.Fprintf(table, "  %s\t-\t-\tuncovered\n", one.ID)
		}
	}
	_ = table.Flush() // into memory
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return fmt.Errorf("list: %w", err)
		}
	}
	return nil
}

// note says what else there is to know of a task, on one line.
func (t *TaskCoverage) note() string {
	var parts []string
	if t.Case == "" {
		parts = append(parts, "names no case: id "+t.ID)
	}
	if t.CaseMissing {
		parts = append(parts, "no such case")
	}
	if t.Steps > 0 {
		parts = append(parts, counted(t.Steps, "step"))
	}
	if t.Error != "" {
		first, _, more := strings.Cut(t.Error, "\n")
		if more {
			first += " ..."
		}
		parts = append(parts, "broken: "+strings.ReplaceAll(first, "\t", " "))
	}
	return strings.Join(parts, "; ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
