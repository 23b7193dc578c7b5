package orchestrator

import (
	"maps"
	"slices"

	"github.com/seatrial/seatrial/orchestrator/stats"
)

// Summarize counts cases. planned is how many were asked for.
func Summarize(cases []Case, planned int) Summary {
	s := Summary{Planned: planned, Total: len(cases), Missing: max(0, planned-len(cases)), ByError: map[string]int{}}
	var scores []float64
	for _, c := range cases {
		switch {
		case c.Status != Complete:
			s.Incomplete++
			if c.Error != nil {
				s.ByError[c.Error.Code]++
			}
		case c.Score == nil:
			s.Complete++
			s.NoScore++
		default:
			s.Complete++
			s.Scored++
			scores = append(scores, *c.Score)
		}
	}
	s.MeanScore = mean(scores)
	return s
}

// mean is nil where there is nothing to take it of.
func mean(scores []float64) *float64 { return stats.Mean(scores) }

// Codes lists the error codes of a summary, most frequent first.
func (s Summary) Codes() []string {
	codes := slices.Sorted(maps.Keys(s.ByError))
	slices.SortStableFunc(codes, func(a, b string) int { return s.ByError[b] - s.ByError[a] })
	return codes
}
