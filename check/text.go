package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/seatrial/seatrial/task"
)

// Place is the finding's place in the form "file:line:column", as far as it is known. It never breaks a line.
func (f *Finding) Place() string {
	s := task.Printable(f.File)
	if f.Line > 0 {
		s += fmt.Sprintf(":%d", f.Line)
		if f.Column > 0 {
			s += fmt.Sprintf(":%d", f.Column)
		}
	}
	return s
}

// String is the finding on one line: an error begins with its place, anything less with its severity.
func (f *Finding) String() string {
	var b strings.Builder
	if f.Severity != Error {
		b.WriteString(string(f.Severity) + ": ")
	}
	b.WriteString(f.Place() + ": ")
	if f.Key != "" {
		b.WriteString(oneLine(f.Key))
		if !strings.HasPrefix(f.Message, "= ") { // a key with its value
			b.WriteString(":")
		}
		b.WriteString(" ")
	}
	return b.String() + oneLine(f.Message) + " [" + f.Code + "]"
}

// oneLine gives text for a terminal: nothing in it breaks the line or steers the terminal.
func oneLine(s string) string {
	if q := task.Printable(s); q != s {
		return q[1 : len(q)-1]
	}
	return s
}

// WriteText tells people what was found: the findings on one stream, each with what to do where its code comes first, and a line for each task on the other. With
// plans, the plan of a task stands for its line. suite is what was found that is about no task.
func WriteText(out, errs io.Writer, all []Task, suite []Finding, plans bool) {
	told := map[string]bool{}
	tell := func(found []Finding) Counts {
		for j := range found {
			f := &found[j]
			fmt.Fprintln(errs, f)
			if f.Severity != Note && !told[f.Code] {
				told[f.Code] = true
				fmt.Fprintf(errs, "  %s\n", oneLine(f.Remedy))
			}
		}
		return Count(found)
	}
	sum := tell(suite)
	for i := range all {
		t := &all[i]
		n := tell(t.Findings)
		sum.plus(n)
		switch {
		case plans && t.Plan != nil:
			fmt.Fprint(out, t.Plan)
		case n.Errors > 0:
			fmt.Fprintf(out, "%s: %s\n", task.Printable(t.Dir), n)
		case !plans:
			fmt.Fprintf(out, "%s: ok\n", task.Printable(t.Dir))
		}
	}
	if len(all) > 1 && sum != (Counts{}) {
		fmt.Fprintf(errs, "%d tasks: %s\n", len(all), sum)
	}
}

// Counts are numbers of findings by severity.
type Counts struct {
	Errors   int `json:"error"`
	Warnings int `json:"warning"`
	Notes    int `json:"note"`
}

// Count counts findings by severity.
func Count(all []Finding) Counts {
	var n Counts
	for i := range all {
		switch all[i].Severity {
		case Error:
			n.Errors++
		case Warning:
			n.Warnings++
		case Note:
			n.Notes++
		}
	}
	return n
}

func (n *Counts) plus(m Counts) {
	n.Errors += m.Errors
	n.Warnings += m.Warnings
	n.Notes += m.Notes
}

// String is the counts in words.
func (n Counts) String() string {
	return fmt.Sprintf("%s, %s, %s", many(n.Errors, "error"), many(n.Warnings, "warning"), many(n.Notes, "note"))
}

func many(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
