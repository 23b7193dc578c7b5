package orchestrator

import (
	"cmp"
	"math"
	"slices"

	"github.com/seatrial/seatrial/orchestrator/stats"
)

// PhaseMetrics is what a phase took in seconds, over the trials in which it began.
type PhaseMetrics struct {
	Phase  string  `json:"phase"` // as in a case's timing
	Trials int     `json:"trials"`
	Sum    float64 `json:"sum"`
	Mean   float64 `json:"mean"`
	P50    float64 `json:"p50"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

func phaseMetrics(cases []Case) []PhaseMetrics {
	names := []string{"build", "start", "prepare", "setup", "agent_setup", "agent", "collect", "verifier", "teardown", "total"}
	values := make([][]float64, len(names))
	for i := range cases {
		for _, trial := range trialsOf(&cases[i]) {
			t := &trial.Timing
			for p, v := range []*float64{t.Build, t.Start, t.Prepare, t.Setup, t.AgentSetup, t.Agent, t.Collect, t.Verifier, t.Teardown, &t.Total} {
				if v != nil {
					values[p] = append(values[p], *v)
				}
			}
		}
	}
	out := []PhaseMetrics{}
	for p, name := range names {
		sorted := slices.Sorted(slices.Values(values[p]))
		if len(sorted) == 0 {
			continue
		}
		out = append(out, PhaseMetrics{Phase: name, Trials: len(sorted), Sum: stats.Sum(sorted), Mean: *stats.Mean(sorted),
			P50: stats.Percentile(sorted, 50), P95: stats.Percentile(sorted, 95), Max: sorted[len(sorted)-1]})
	}
	return out
}

// SlowCase is a case that took long: the seconds of all its trials.
type SlowCase struct {
	ID      string  `json:"id"`
	Seconds float64 `json:"seconds"`
}

func slowest(cases []Case) []SlowCase {
	all := make([]SlowCase, 0, len(cases))
	for i := range cases {
		all = append(all, SlowCase{ID: cases[i].ID, Seconds: cases[i].Timing.Total})
	}
	return first(all, mostCases,
		func(a, b *SlowCase) int { return falling(a.Seconds, b.Seconds) },
		func(a, b *SlowCase) int { return cmp.Compare(a.ID, b.ID) })
}

// UsageMetrics is what the agents used, over the trials that say so; nil where none does.
type UsageMetrics struct {
	TokenTrials int      `json:"token_trials"` // that say anything of tokens
	Input       *int64   `json:"input"`
	Cached      *int64   `json:"cached"`
	Output      *int64   `json:"output"`
	CostTrials  int      `json:"cost_trials"` // that say what they cost
	Cost        *float64 `json:"cost"`        // US dollars
}

func usageMetrics(cases []Case) UsageMetrics {
	var u UsageMetrics
	var costs []float64
	for i := range cases {
		for _, trial := range trialsOf(&cases[i]) {
			if t := trial.Result.Tokens; t != nil {
				u.TokenTrials++
				u.Input, u.Cached, u.Output = more(u.Input, t.Input), more(u.Cached, t.Cached), more(u.Output, t.Output)
			}
			if trial.Result.Cost != nil {
				costs = append(costs, *trial.Result.Cost)
			}
		}
	}
	if u.CostTrials = len(costs); u.CostTrials > 0 {
		cost := stats.Sum(costs)
		u.Cost = &cost
	}
	return u
}

// more adds a count, and stops at the largest there is. What is below 0 is no count.
func more(total, count *int64) *int64 {
	if count == nil || *count < 0 {
		return total
	}
	n := *count
	if total != nil {
		n = *total + min(n, math.MaxInt64-*total)
	}
	return &n
}
