// Package report turns the events of a run into what people read. It never decides anything.
package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/seatrial/seatrial/orchestrator"
)

// Result is a finished case in one line: its mark, its id, its score or its error, and its time.
func Result(c *orchestrator.Case) string {
	switch {
	case c.Status != orchestrator.Complete:
		code := "incomplete"
		if c.Error != nil {
			code = c.Error.Code
		}
		return fmt.Sprintf("✗ %s  %s  %.1f s", c.ID, code, c.Timing.Total)
	case c.Score == nil:
		return fmt.Sprintf("○ %s  no score  %.1f s", c.ID, c.Timing.Total)
	default:
		mark := "✓"
		if *c.Score < 1 {
			mark = "●"
		}
		return fmt.Sprintf("%s %s  score %s%s  %.1f s", mark, c.ID, number(*c.Score), derived(c), c.Timing.Total)
	}
}

// Details are the lines that follow Result: the reason of an incomplete case with the last lines of output, or the scores of the
// dimensions, and the agent's trouble.
func Details(c *orchestrator.Case) []string {
	var out []string
	if e := c.Error; e != nil {
		for line := range strings.SplitSeq(e.Message, "\n") {
			out = append(out, line)
		}
		if e.Hint != "" {
			out = append(out, e.Hint)
		}
		for _, l := range e.Lines {
			out = append(out, "│ "+l)
		}
	}
	for _, s := range c.Scores {
		if s.Name == "reward" && len(c.Scores) == 1 {
			continue
		}
		value := "not applicable"
		if s.Value != nil {
			value = number(*s.Value)
		}
		out = append(out, fmt.Sprintf("%s %s", s.Name, value))
	}
	for i := range c.Steps {
		out = append(out, "step "+c.Steps[i].Name+": "+stepOutcome(&c.Steps[i]))
	}
	for _, w := range c.Warnings {
		if loud(w.Code) {
			out = append(out, "note: "+w.Message)
		}
	}
	return out
}

// stepOutcome is how a step came out, in a few words.
func stepOutcome(s *orchestrator.StepResult) string {
	switch {
	case s.Error != nil:
		return s.Error.Code
	case s.Status != orchestrator.Complete:
		return s.Status
	case s.Score == nil:
		return "no score"
	}
	return number(*s.Score)
}

// loud warnings are about this trial; the others are about the task, and `seatrial check` shows them.
func loud(code string) bool {
	switch code {
	case "agent_timed_out", "agent_error", "container_restarted", "reward_planted", "rewards_disagree", "teardown_leak", "log_incomplete", "logs_incomplete", "clock_gap", "verifier_oom", "min_reward":
		return true
	}
	return false
}

// Totals is the last line of a run.
func Totals(s *orchestrator.Summary) string {
	mean := "none"
	if s.MeanScore != nil {
		mean = number(*s.MeanScore)
	}
	line := fmt.Sprintf("%d planned: %d scored, mean %s", s.Planned, s.Scored, mean)
	if s.NoScore > 0 {
		line += fmt.Sprintf(", %d without a score", s.NoScore)
	}
	line += fmt.Sprintf(", %d incomplete", s.Incomplete)
	if len(s.ByError) > 0 {
		var parts []string
		for _, code := range s.Codes() {
			parts = append(parts, fmt.Sprintf("%s %d", code, s.ByError[code]))
		}
		line += " (" + strings.Join(parts, ", ") + ")"
	}
	if s.Missing > 0 {
		line += fmt.Sprintf(", %d not run", s.Missing)
	}
	return line
}

func derived(c *orchestrator.Case) string {
	if c.ScoreDerived {
		return " (mean)"
	}
	return ""
}

// number shows a score with at most four decimals. What is not quite 0 or 1 never looks as if it were.
func number(v float64) string {
	const step = 0.0001
	switch {
	case v > 0 && v < step:
		v = step
	case v < 1 && v > 1-step:
		v = 1 - step
	}
	s := fmt.Sprintf("%.4f", v)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Clean makes text from tasks and containers safe for a terminal: one line, without CSI sequences, control characters or those that change the direction of
// what follows.
func Clean(s string) string {
	if strings.ContainsAny(s, "\x1b\u009b") {
		s = settings().ReplaceAllString(s, "") // only those that have an end of their own: others would take what follows with them
	}
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
}
