package report_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

// over is the record of a run that is over. trials is how many each case has; 0 stands for cases of their own.
func over(trials, missing int, cases ...orchestrator.Case) *orchestrator.RunRecord {
	one := 1
	for i := range cases {
		cases[i].ContractVersion = &one
	}
	r := &orchestrator.RunRecord{Cases: cases, Summary: orchestrator.Summarize(cases, len(cases)+missing)}
	if trials > 0 {
		t := orchestrator.TrialCounts{Planned: trials * (len(cases) + missing), Missing: trials * missing}
		for i := range cases {
			for _, k := range cases[i].Trials {
				if k.Status == orchestrator.Complete {
					t.Complete++
				} else {
					t.Incomplete++
				}
			}
		}
		r.Summary.Trials = &t
	}
	r.Metrics = orchestrator.Measure(cases, orchestrator.MetricOptions{PassBar: 1, Missing: missing})
	return r
}

func many(n int) []orchestrator.Case {
	var out []orchestrator.Case
	for i := range n {
		c := *complete(fmt.Sprintf("case-%02d", i), float64(i%3)/2)
		c.Timing.Total = float64(i) + 0.5
		out = append(out, c)
	}
	return out
}

func grouped(id string, scores ...float64) orchestrator.Case {
	var trials []orchestrator.Case
	for _, v := range scores {
		if v < 0 {
			trials = append(trials, *broken(orchestrator.Fault{Code: "sandbox_lost"}))
			continue
		}
		trials = append(trials, *complete(id, v))
	}
	c := orchestrator.Group(trials, len(trials), false)
	c.ID = id
	return c
}

func TestSummary(t *testing.T) {
	var b strings.Builder
	unmeasured := over(0, 0, many(30)...)
	unmeasured.Metrics = nil
	stopped := over(0, 2, many(3)...)
	stopped.Stopped = "--fail-fast: \x1b[2Jb is incomplete"
	for _, c := range []struct {
		name string
		rec  *orchestrator.RunRecord
	}{
		{"nothing", over(0, 0)},
		{"a small simple run", over(0, 0, many(3)...)},
		{"one incomplete case", over(0, 0, *broken(orchestrator.Fault{Code: "reward_missing"}))},
		{"an incomplete case beside others", over(0, 0, append(many(2), *broken(orchestrator.Fault{Code: "reward_missing"}))...)},
		{"cases that were not run", over(0, 2, many(3)...)},
		{"what was stopped early", stopped},
		{"many cases", over(0, 0, many(30)...)},
		{"three trials of each", over(3, 0, grouped("a", 1, 1, 1), grouped("b", 1, 0, 0.5), grouped("c", 0, 0, 0.25))},
		{"trials that are incomplete", over(3, 1, grouped("a", 1, -1, 1), grouped("b", 1, 0, 1))},
		{"eight trials", over(8, 0, grouped("a", 1, 0, 0, 0, 0, 0, 0, 0), grouped("b", 1, 1, 1, 1, 1, 1, 1, 0))},
		{"a record without metrics", unmeasured},
		{"ids that draw on the terminal", over(0, 1, *complete("\x1b[2Jx", 1), *complete("y\r\n", 0))},
	} {
		b.WriteString("# " + c.name + "\n" + strings.Join(report.Summary(c.rec), "\n") + "\n")
	}
	golden.Compare(t, filepath.Join("testdata", "summary.txt"), b.String())
	if strings.ContainsAny(b.String(), "\x1b\r") {
		t.Error("an id draws on the terminal")
	}
}
