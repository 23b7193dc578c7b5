package orchestrator

import (
	"maps"
	"slices"

	"github.com/seatrial/seatrial/orchestrator/stats"
	"github.com/seatrial/seatrial/verifier"
)

// DimensionMetrics is the mean of one dimension over the complete cases in which it is scored. The reward is no dimension.
type DimensionMetrics struct {
	Name          string   `json:"name"`
	Mean          *float64 `json:"mean"`
	Scored        int      `json:"scored"`
	NotApplicable int      `json:"not_applicable"`
}

func dimensionMetrics(cases []Case) []DimensionMetrics {
	values, absent := map[string][]float64{}, map[string]int{}
	for i := range cases {
		if cases[i].Status != Complete {
			continue
		}
		for _, s := range cases[i].Scores {
			switch {
			case s.Name == verifier.RewardKey:
			case s.Value != nil:
				values[s.Name] = append(values[s.Name], *s.Value)
			default:
				absent[s.Name]++
			}
		}
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(values)), maps.Keys(absent))
	slices.Sort(names)
	out := []DimensionMetrics{}
	for _, name := range slices.Compact(names) {
		out = append(out, DimensionMetrics{Name: name, Mean: stats.Mean(values[name]), Scored: len(values[name]), NotApplicable: absent[name]})
	}
	return out
}

// TagMetrics is what the cases with one tag come to. A case counts for each of its tags.
type TagMetrics struct {
	Tag        string   `json:"tag"`
	Cases      int      `json:"cases"`
	Mean       *float64 `json:"mean"`
	Scored     int      `json:"scored"`
	Incomplete int      `json:"incomplete"`
}

func tagMetrics(cases []Case) []TagMetrics {
	tagged, values := map[string]*TagMetrics{}, map[string][]float64{}
	for i := range cases {
		c := &cases[i]
		for _, tag := range slices.Compact(slices.Sorted(slices.Values(c.Tags))) {
			t := tagged[tag]
			if t == nil {
				t = &TagMetrics{Tag: tag}
				tagged[tag] = t
			}
			t.Cases++
			switch {
			case c.Status != Complete:
				t.Incomplete++
			case c.Score != nil:
				t.Scored++
				values[tag] = append(values[tag], *c.Score)
			}
		}
	}
	out := []TagMetrics{}
	for _, tag := range slices.Sorted(maps.Keys(tagged)) {
		t := *tagged[tag]
		t.Mean = stats.Mean(values[tag])
		out = append(out, t)
	}
	return out
}
