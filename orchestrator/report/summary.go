package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/stats"
)

// fewCases is up to how many cases a run without anything remarkable is told in one line.
const fewCases = 10

// Summary is what a run came to, for people: one line of totals; and where there are many cases, several trials of each, or incomplete ones, a few lines more.
func Summary(r *orchestrator.RunRecord) []string {
	out := []string{Totals(&r.Summary)}
	if r.Stopped != "" {
		out = append(out, Clean("nothing more was started: "+r.Stopped))
	}
	m, s := r.Metrics, &r.Summary
	if m == nil || s.Trials == nil && s.Incomplete == 0 && s.Missing == 0 && s.Total <= fewCases {
		return out
	}
	if t := s.Trials; t != nil {
		line := fmt.Sprintf("trials: %d planned, %d complete, %d incomplete", t.Planned, t.Complete, t.Incomplete)
		if t.Missing > 0 {
			line += fmt.Sprintf(", %d not run", t.Missing)
		}
		out = append(out, line)
	}
	if m.Score.Interval != nil && m.Score.Mean != nil {
		out = append(out, fmt.Sprintf("mean %s, %s, over %s", number(*m.Score.Mean), between(m.Score.Interval), count(m.Score.Scored, "scored case")))
	}
	out = append(out, passes(&m.Pass)...)
	if len(m.Slowest) > 1 {
		var parts []string
		for _, c := range m.Slowest[:min(shown, len(m.Slowest))] {
			parts = append(parts, fmt.Sprintf("%s %.1f s", Clean(c.ID), c.Seconds))
		}
		out = append(out, "slowest: "+strings.Join(parts, ", "))
	}
	if len(m.Flakiest) > 0 {
		var parts []string
		for _, c := range m.Flakiest[:min(shown, len(m.Flakiest))] {
			parts = append(parts, fmt.Sprintf("%s %d of %d passed, %s to %s", Clean(c.ID), c.Passed, c.Trials, number(c.Lowest), number(c.Highest)))
		}
		out = append(out, "flakiest: "+strings.Join(parts, "; "))
	}
	return out
}

// shown is how many cases a line names.
const shown = 3

// passes are the lines on passing: pass@1, then pass@k and pass^k for the first few k and for the last.
func passes(m *orchestrator.PassMetrics) []string {
	var out []string
	for i, p := range m.ByK {
		if p.At == nil || p.Hat == nil {
			continue
		}
		switch last := i == len(m.ByK)-1 || m.ByK[i+1].At == nil; {
		case p.K == 1:
			line := fmt.Sprintf("pass@1 %s", number(*p.At))
			if m.Interval != nil {
				line += ", " + between(m.Interval)
			}
			out = append(out, line+fmt.Sprintf(", over %s, pass bar %s", count(p.Cases, "case"), number(m.Bar)))
		case last || slices.Contains([]int{2, 3, 4, 5}, p.K):
			out = append(out, fmt.Sprintf("pass@%d %s, pass^%d %s, over %s", p.K, number(*p.At), p.K, number(*p.Hat), count(p.Cases, "case")))
		}
	}
	return out
}

func between(i *stats.Interval) string {
	return fmt.Sprintf("95 %% interval %s to %s", number(i.Low), number(i.High))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
