package difftrial

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seatrial/seatrial/orchestrator/report"
)

// The bounds of what people are shown.
const (
	shownRows  = 200 // of a section
	shownFiles = 200
	shownLogs  = 50
	column     = 36 // characters: what is wider stands on a line of its own
)

// WriteText writes a comparison for people at a terminal.
func WriteText(w io.Writer, d *Diff) error {
	t := &text{}
	t.line("old: %s", d.Old.line())
	t.line("new: %s", d.New.line())
	if d.Equal {
		t.line("outcome and rewards are the same")
	} else {
		t.line("outcome or rewards differ")
	}
	for i := range d.Sections {
		t.section(&d.Sections[i], d.chosen)
	}
	if d.Logs != nil {
		t.logs(d.Logs, d.chosen)
	}
	if d.Files != nil {
		t.files(d.Files, d.chosen)
	}
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fmt.Errorf("the comparison: %w", err)
	}
	return nil
}

// text is what people are shown.
type text struct{ strings.Builder }

// line adds a line, safe for a terminal.
func (t *text) line(format string, args ...any) {
	t.WriteString(strings.TrimRight(report.Clean(fmt.Sprintf(format, args...)), " ") + "\n")
}

func (s *Side) line() string {
	return fmt.Sprintf("%s/%s, case %s: %s", clean(s.Run), clean(s.Trial), clean(s.Case), clean(s.Outcome.String()))
}

// section shows the rows of which people want to know, and counts those that are the same. Where nothing is to be said, it is said only if it was asked for.
func (t *text) section(s *Section, chosen bool) {
	var rows []*Row
	same := 0
	for i := range s.Rows {
		if r := &s.Rows[i]; r.minor && !r.Differs && !r.Varies {
			same++
		} else {
			rows = append(rows, r)
		}
	}
	switch {
	case len(s.Rows) == 0 && !chosen:
		return
	case len(s.Rows) == 0:
		t.gap("%s: nothing is recorded", s.Name)
		return
	case len(rows) == 0:
		t.gap("%s: %d the same", s.Name, same)
		return
	}
	t.gap("%s:", s.Name)
	shown := rows[:min(shownRows, len(rows))]
	w := widthsOf(shown)
	for _, r := range shown {
		t.row(r, w)
	}
	if more := len(rows) - len(shown) + s.LeftOut; more > 0 {
		t.line("  and %d more", more)
	}
	if same > 0 {
		t.line("  %d more the same", same)
	}
}

// gap begins a part.
func (t *text) gap(format string, args ...any) {
	t.WriteByte('\n')
	t.line(format, args...)
}

// widths are those of columns, in characters.
type widths struct{ name, old, new int }

func widthsOf(rows []*Row) widths {
	var w widths
	for _, r := range rows {
		if !r.wide() {
			w.name = max(w.name, utf8.RuneCountInString(clean(r.Name)))
			w.old = max(w.old, utf8.RuneCountInString(r.show(r.Old)))
			w.new = max(w.new, utf8.RuneCountInString(r.show(r.New)))
		}
	}
	return w
}

// wide says that a row does not fit in columns.
func (r *Row) wide() bool {
	return max(utf8.RuneCountInString(clean(r.Name)), utf8.RuneCountInString(r.show(r.Old)), utf8.RuneCountInString(r.show(r.New))) > column
}

func (t *text) row(r *Row, w widths) {
	if r.wide() {
		t.line("%s %s", r.mark(), clean(r.Name))
		t.line("      old: %s", r.show(r.Old))
		t.line("      new: %s", r.show(r.New))
		return
	}
	t.line("%s %-*s  %-*s  %-*s  %s", r.mark(), w.name, clean(r.Name), w.old, r.show(r.Old), w.new, r.show(r.New), r.note())
}

// mark begins the line of a row: an exclamation mark where it differs.
func (r *Row) mark() string {
	if r.Differs {
		return "!"
	}
	return " "
}
