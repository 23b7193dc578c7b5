package html

import (
	"math"
	"strconv"

	"github.com/seatrial/seatrial/orchestrator"
)

// against is an earlier run, for the comparison.
type against struct {
	RunID     string         `json:"run_id"`
	StartedAt string         `json:"started_at"`
	Mean      *float64       `json:"mean_score"`
	Cases     map[string]old `json:"cases"` // by the place of the case in this run
	Gone      []string       `json:"gone"`  // ids of cases that this run does not have
}

// old is how a case came out then.
type old struct {
	Status string   `json:"status"`
	Score  *float64 `json:"score"`
	Code   string   `json:"code,omitempty"`
}

// compare joins two runs by the ids of their cases; nil when there is no earlier one.
func compare(now, then *orchestrator.RunRecord) *against {
	if then == nil {
		return nil
	}
	out := &against{RunID: clean(then.RunID, 200), Mean: then.Summary.MeanScore, Cases: map[string]old{}, Gone: []string{}}
	if !then.StartedAt.IsZero() {
		out.StartedAt = then.StartedAt.UTC().Format("2006-01-02T15:04:05Z")
	}
	index := map[string]int{}
	for i, k := range keys(now.Cases) {
		index[k] = i
	}
	for i, k := range keys(then.Cases) {
		c := &then.Cases[i]
		at, ok := index[k]
		if !ok {
			out.Gone = append(out.Gone, clean(c.ID, 200))
			continue
		}
		o := old{Status: clean(c.Status, 40), Score: c.Score}
		if c.Error != nil {
			o.Code = clean(c.Error.Code, 100)
		}
		out.Cases[strconv.Itoa(at)] = o
	}
	return out
}

// keys tell the cases of a run apart: by runner and id, and by their order where a run has an id twice.
func keys(cases []orchestrator.Case) []string {
	out, seen := make([]string, len(cases)), map[string]int{}
	for i := range cases {
		k := cases[i].Runner + "\x00" + cases[i].ID
		seen[k]++
		out[i] = k + "\x00" + strconv.Itoa(seen[k])
	}
	return out
}

// finite is a number that JSON can hold, or nil.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
