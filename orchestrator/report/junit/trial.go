package junit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/verifier"
)

const (
	mostReason = 8 << 10  // bytes of one message or reason
	mostOut    = 64 << 10 // bytes of a trial's system-out
)

// trial is one trial of a case, or the case itself where it has only one.
func trial(c, t *orchestrator.Case, o Options) testCase {
	out := testCase{Name: text(report.Name(&orchestrator.Case{ID: cmp.Or(t.ID, c.ID), Trial: t.Trial})), ClassName: class(c), Time: seconds(t.Timing.Total), Out: scores(t)}
	switch {
	case t.Status != orchestrator.Complete:
		out.Error = fault(t)
	case t.Score == nil:
		out.Skipped = &reason{Message: "it is complete and has no score"}
	case !(*t.Score >= o.PassBar):
		out.Failure = &reason{Type: "score", Message: fmt.Sprintf("score %s is below %s", number(t.Score), number(&o.PassBar)), Text: low(t, o.PassBar)}
	}
	return out
}

// class groups the trials of a case in readers that show a tree.
func class(c *orchestrator.Case) string {
	return text(cmp.Or(c.Task.Name, c.LegacyID, c.ID, "case"))
}

// fault is why a trial is incomplete.
func fault(t *orchestrator.Case) *reason {
	e := t.Error
	if e == nil {
		return &reason{Type: "incomplete", Message: "it is incomplete, and the record does not say why"}
	}
	first, _, _ := strings.Cut(e.Message, "\n")
	var b strings.Builder
	b.WriteString(bounded(e.Message))
	if e.Hint != "" {
		b.WriteString("\n" + bounded(e.Hint))
	}
	for i, l := range e.Lines {
		if i == 0 {
			b.WriteString("\nlast lines of output:")
		}
		b.WriteString("\n" + bounded(l))
	}
	return &reason{Type: text(e.Code), Message: text(e.Code + ": " + first), Text: report.Cut(b.String(), mostOut)}
}

// low lists the dimensions that are below the bar.
func low(t *orchestrator.Case, bar float64) string {
	var lines []string
	for _, s := range t.Scores {
		if s.Value != nil && *s.Value < bar {
			lines = append(lines, bounded(s.Name)+" "+number(s.Value))
		}
	}
	return report.Cut(strings.Join(lines, "\n"), mostOut)
}

// scores are a trial's scores with their reasons, its steps, its warnings and its earlier tries.
func scores(t *orchestrator.Case) string {
	var b strings.Builder
	dimensions(&b, "", t.Scores)
	for i := range t.Steps {
		s := &t.Steps[i]
		outcome := s.Status
		if s.Error != nil {
			outcome = s.Error.Code
		} else if s.Score != nil {
			outcome = number(s.Score)
		}
		fmt.Fprintf(&b, "step %s: %s\n", bounded(s.Name), bounded(outcome))
		dimensions(&b, "  ", s.Scores)
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "warning: %s: %s\n", bounded(w.Code), bounded(w.Message))
	}
	for i := range t.Tries {
		r := &t.Tries[i]
		fmt.Fprintf(&b, "earlier try %d: %s: %s\n", i+1, bounded(r.Code), bounded(r.Message))
	}
	return report.Cut(b.String(), mostOut)
}

func dimensions(b *strings.Builder, indent string, all []verifier.Score) {
	for i := range all {
		s := &all[i]
		fmt.Fprintf(b, "%s%s %s\n", indent, bounded(s.Name), number(s.Value))
		for j := range s.Criteria {
			k := &s.Criteria[j]
			fmt.Fprintf(b, "%s  %s %s", indent, bounded(k.Name), number(k.Value))
			if k.Reasoning != "" {
				b.WriteString(": " + bounded(k.Reasoning))
			}
			if k.Error != "" {
				b.WriteString(" (error: " + bounded(k.Error) + ")")
			}
			b.WriteByte('\n')
		}
	}
}

func number(v *float64) string {
	if v == nil {
		return "not applicable"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func bounded(s string) string { return report.Short(s, mostReason) }
