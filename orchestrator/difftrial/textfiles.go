package difftrial

import (
	"fmt"
	"strconv"

	"github.com/seatrial/seatrial/orchestrator/report"
)

// logs shows where logs cease to be the same.
func (t *text) logs(p *LogsPart, chosen bool) {
	same, shown := 0, 0
	for i := range p.Logs {
		if l := &p.Logs[i]; !l.Differs && l.Problem == "" && l.Old.Cut == 0 && l.New.Cut == 0 {
			same++
		}
	}
	switch {
	case len(p.Logs) == 0 && !chosen:
		return
	case len(p.Logs) == 0:
		t.gap("logs: nothing is recorded")
		return
	case same == len(p.Logs):
		t.gap("logs: %d the same", same)
		return
	}
	t.gap("logs:")
	for i := range p.Logs {
		l := &p.Logs[i]
		if !l.Differs && l.Problem == "" && l.Old.Cut == 0 && l.New.Cut == 0 {
			continue
		}
		if shown++; shown > shownLogs {
			continue
		}
		t.log(l)
	}
	if more := max(0, shown-shownLogs) + p.LeftOut; more > 0 {
		t.line("  and %d more", more)
	}
	if same > 0 {
		t.line("  %d more the same", same)
	}
}

func (t *text) log(l *Log) {
	mark, what := " ", "the same"
	switch {
	case l.Differs:
		mark, what = "!", l.Problem
	case l.Problem != "":
		what = "not compared: " + l.Problem
	}
	if l.First != nil {
		what = fmt.Sprintf("first at line %d", l.First.Line)
	}
	t.line("%s %s: %s (%s -> %s printed)", mark, clean(l.Name), clean(what), report.Bytes(l.Old.Bytes), report.Bytes(l.New.Bytes))
	for _, s := range []struct {
		side string
		cut  int64
	}{{"old", l.Old.Cut}, {"new", l.New.Cut}} {
		if s.cut != 0 {
			t.line("      the %s log lacks %s in its middle", s.side, report.Bytes(s.cut))
		}
	}
	if l.First != nil {
		t.first(l.First)
	}
}

// first shows a place with the lines around it.
func (t *text) first(f *First) {
	const far = 100
	if f.Column > far {
		t.line("      at byte %d of the line", f.Column)
	}
	for _, s := range f.Before {
		t.line("        %s", s)
	}
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"-", f.Old}, {"+", f.New}} {
		for _, s := range side.lines {
			t.line("      %s %s", side.sign, s)
		}
		if len(side.lines) == 0 {
			t.line("      %s (it ends here)", side.sign)
		}
	}
}

// files shows what is not the same in the collected folders.
func (t *text) files(p *FilesPart, chosen bool) {
	if len(p.Listed) == 0 && p.NotCompared == 0 && !p.Old.Cut && !p.New.Cut {
		if p.Same > 0 || chosen {
			t.gap("files: %d the same", p.Same)
		}
		return
	}
	t.gap("files:")
	for i := range p.Listed[:min(shownFiles, len(p.Listed))] {
		t.file(&p.Listed[i])
	}
	if more := len(p.Listed) - shownFiles; more > 0 || p.LeftOut > 0 {
		t.line("  and %d more", max(0, more)+p.LeftOut)
	}
	if p.NotCompared > 0 {
		t.line("  %d not compared", p.NotCompared)
	}
	for _, s := range []struct {
		side string
		t    *Tally
	}{{"old", &p.Old}, {"new", &p.New}} {
		if s.t.Cut {
			t.line("  the %s trial has more files than were looked at", s.side)
		}
	}
	if p.Same > 0 {
		t.line("  %d more the same", p.Same)
	}
}

func (t *text) file(f *File) {
	mark := "!"
	if f.How == NotCompared {
		mark = " "
	}
	t.line("%s %s: %s", mark, clean(f.Name), f.words())
	for _, s := range f.Lines {
		t.line("      %s", s)
	}
	if f.LinesLeftOut > 0 {
		t.line("      ... %s more", plural(f.LinesLeftOut, "line"))
	}
	if f.First != nil {
		t.line("      first at line %d", f.First.Line)
		t.first(f.First)
	}
}

// words say how a file is not the same.
func (f *File) words() string {
	switch f.How {
	case OnlyOld:
		return "only in the old trial, " + f.Old.words(f.Below)
	case OnlyNew:
		return "only in the new trial, " + f.New.words(f.Below)
	case NotCompared:
		return "not compared: " + clean(f.Problem)
	case Content:
		s := report.Bytes(f.Old.Size) + " -> " + report.Bytes(f.New.Size)
		if f.Binary {
			s = "binary, " + s
		}
		if f.Old.Size == f.New.Size {
			s += ", other content"
		}
		if f.Problem != "" {
			s += ", " + clean(f.Problem)
		}
		return s
	}
	return f.Old.words(f.Below) + " -> " + f.New.words(f.Below)
}

// words say what an entry is.
func (e *Entry) words(below *Tally) string {
	switch {
	case e.Kind == kindFile:
		return report.Bytes(e.Size)
	case e.Kind == kindFolder && below != nil:
		s := fmt.Sprintf("a folder with %s, %s", plural(below.Files, "file"), report.Bytes(below.Bytes))
		if below.Cut {
			s += " at least"
		}
		return s
	case e.Kind == kindLink:
		return "a link to " + clean(e.Target) + ", not followed"
	case e.Kind == kindFolder:
		return "a folder"
	case e.Kind == "":
		return "unreadable: " + clean(e.Problem)
	}
	return "a " + e.Kind + ", not read"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
