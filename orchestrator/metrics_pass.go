package orchestrator

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seatrial/seatrial/orchestrator/stats"
)

// PassMetrics says how many trials passed: those whose score is at least Bar. Trials without a score, incomplete ones among them, are in none of the numbers.
type PassMetrics struct {
	Bar    float64 `json:"bar"`
	Trials int     `json:"trials"` // with a score
	Passed int     `json:"passed"`
	// Interval is for pass@1, over the cases; nil when there is none.
	Interval *stats.Interval `json:"interval"`
	ByK      []PassAtK       `json:"by_k"`
}

// PassAtK is the chance that of k trials of a case one at least passes, and that all do, over the cases with k scored trials or more.
type PassAtK struct {
	K     int      `json:"k"`
	Cases int      `json:"cases"`
	At    *float64 `json:"pass_at_k"`
	Hat   *float64 `json:"pass_hat_k"`
}

// Tally is how many trials of a case have a score, and how many of them passed; a case that a run does once is its own trial.
func (c *Case) Tally(bar float64) (scored, passed int) {
	t := tallyOf(c, bar)
	return t.scored, t.passed
}

// tally is how the trials of a case came out.
type tally struct{ scored, passed int }

func tallyOf(c *Case, bar float64) tally {
	var t tally
	for _, trial := range trialsOf(c) {
		if trial.scored() {
			t.scored++
			if *trial.Score >= bar {
				t.passed++
			}
		}
	}
	return t
}

// MeasurePasses is the part of Measure that is about passing.
func MeasurePasses(cases []Case, bar float64) PassMetrics {
	m := PassMetrics{Bar: bar, ByK: []PassAtK{}}
	most := 0
	tallies := map[tally]int{} // most cases come out alike
	for i := range cases {
		t := tallyOf(&cases[i], bar)
		tallies[t]++
		m.Trials, m.Passed, most = m.Trials+t.scored, m.Passed+t.passed, max(most, len(trialsOf(&cases[i])))
	}
	at, hat := make([][]float64, most), make([][]float64, most)
	for _, t := range slices.SortedFunc(maps.Keys(tallies), func(a, b tally) int { return cmp.Or(a.scored-b.scored, a.passed-b.passed) }) {
		one, all := stats.Passes(t.scored, t.passed)
		for k := range t.scored {
			for range tallies[t] {
				at[k], hat[k] = append(at[k], one[k]), append(hat[k], all[k])
			}
		}
	}
	for k := range most {
		m.ByK = append(m.ByK, PassAtK{K: k + 1, Cases: len(at[k]), At: stats.Mean(at[k]), Hat: stats.Mean(hat[k])})
	}
	if most > 0 && m.ByK[0].At != nil {
		m.Interval = stats.Wilson(*m.ByK[0].At, m.ByK[0].Cases)
	}
	return m
}

// FlakyCase is a case whose trials came out differently.
type FlakyCase struct {
	ID      string  `json:"id"`
	Trials  int     `json:"trials"` // with a score
	Passed  int     `json:"passed"`
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
}

// mostCases bounds the lists of cases.
const mostCases = 10

// flakiest are the cases whose trials differ: those first in which passing varies most, then those whose scores lie farthest apart.
func flakiest(cases []Case, bar float64) []FlakyCase {
	all := []FlakyCase{}
	for i := range cases {
		t := tallyOf(&cases[i], bar)
		f := FlakyCase{ID: cases[i].ID, Trials: t.scored, Passed: t.passed}
		some := false
		for _, trial := range trialsOf(&cases[i]) {
			if !trial.scored() {
				continue
			}
			if v := *trial.Score; some {
				f.Lowest, f.Highest = min(f.Lowest, v), max(f.Highest, v)
			} else {
				f.Lowest, f.Highest, some = v, v, true
			}
		}
		if f.Lowest != f.Highest {
			all = append(all, f)
		}
	}
	return first(all, mostCases,
		func(a, b *FlakyCase) int { return falling(a.variance(), b.variance()) },
		func(a, b *FlakyCase) int {
			return falling(stats.Finite(a.Highest-a.Lowest), stats.Finite(b.Highest-b.Lowest))
		},
		func(a, b *FlakyCase) int { return cmp.Compare(a.ID, b.ID) },
		func(a, b *FlakyCase) int { return falling(a.Trials, b.Trials) },
		func(a, b *FlakyCase) int { return falling(a.Passed, b.Passed) },
		func(a, b *FlakyCase) int { return cmp.Compare(a.Lowest, b.Lowest) },
		func(a, b *FlakyCase) int { return cmp.Compare(a.Highest, b.Highest) })
}

// variance is that of passing.
func (f *FlakyCase) variance() float64 {
	p := float64(f.Passed) / float64(f.Trials)
	return p * (1 - p)
}
