package orchestrator

import (
	"cmp"
	"slices"

	"github.com/seatrial/seatrial/orchestrator/stats"
)

// DefaultPassBar is the score from which on a trial has passed, where nobody says another.
const DefaultPassBar = 1.0

// MetricOptions are what the cases do not say themselves.
type MetricOptions struct {
	// PassBar is the score from which on a trial has passed.
	PassBar float64
	// Missing is how many planned cases were not run.
	Missing int
}

// Metrics is what the cases of a run come to. docs/metrics.md has the formulas.
type Metrics struct {
	Score      ScoreMetrics       `json:"score"`
	Pass       PassMetrics        `json:"pass"`
	Dimensions []DimensionMetrics `json:"dimensions"`
	Tags       []TagMetrics       `json:"tags"`
	Phases     []PhaseMetrics     `json:"phases"`
	Usage      UsageMetrics       `json:"usage"`
	Slowest    []SlowCase         `json:"slowest"`
	Flakiest   []FlakyCase        `json:"flakiest"`
}

// ScoreMetrics is the mean score with the numbers that it must be read with.
type ScoreMetrics struct {
	Mean *float64 `json:"mean"`
	// Interval is nil with fewer than two scored cases, and where all scores are the same.
	Interval   *stats.Interval `json:"interval"`
	Scored     int             `json:"scored"`
	NoScore    int             `json:"no_score"`
	Incomplete int             `json:"incomplete"`
	Missing    int             `json:"missing"`
}

// Measure says what cases come to. It gives the same whatever their order, and every number is finite.
func Measure(cases []Case, o MetricOptions) *Metrics {
	return &Metrics{
		Score: scoreMetrics(cases, o.Missing), Pass: MeasurePasses(cases, o.PassBar), Dimensions: dimensionMetrics(cases), Tags: tagMetrics(cases),
		Phases: phaseMetrics(cases), Usage: usageMetrics(cases), Slowest: slowest(cases), Flakiest: flakiest(cases, o.PassBar),
	}
}

// measure sets the record's metrics.
func (r *RunRecord) measure(bar *float64) {
	o := MetricOptions{PassBar: DefaultPassBar, Missing: r.Summary.Missing}
	if bar != nil {
		o.PassBar = *bar
	}
	r.Metrics = Measure(r.Cases, o)
}

// passBar is the bar that the record's metrics were made with; nil where it has none.
func (r *RunRecord) passBar() *float64 {
	if r.Metrics == nil {
		return nil
	}
	return &r.Metrics.Pass.Bar
}

// trialsOf are the trials of a case: of one that a run does once, itself.
func trialsOf(c *Case) []Case {
	if len(c.Trials) > 0 {
		return c.Trials
	}
	return []Case{*c}
}

// scored says that a case or trial has a score that counts.
func (c *Case) scored() bool { return c.Status == Complete && c.Score != nil }

func scoreMetrics(cases []Case, missing int) ScoreMetrics {
	s := Summarize(cases, len(cases))
	m := ScoreMetrics{Mean: s.MeanScore, Scored: s.Scored, NoScore: s.NoScore, Incomplete: s.Incomplete, Missing: missing}
	var scores []float64
	shares := true // every score is from 0 to 1 by its contract
	for i := range cases {
		if c := &cases[i]; c.scored() {
			scores, shares = append(scores, *c.Score), shares && c.ContractVersion != nil
		}
	}
	if m.Interval = stats.MeanInterval(scores); shares {
		m.Interval = m.Interval.Clamp(0, 1)
	}
	return m
}

// first are the first few of a list, in an order that lets no two different ones stand either way.
func first[T any](all []T, most int, by ...func(a, b *T) int) []T {
	slices.SortFunc(all, func(a, b T) int {
		for _, f := range by {
			if c := f(&a, &b); c != 0 {
				return c
			}
		}
		return 0
	})
	return slices.Clip(all[:min(most, len(all))])
}

// falling compares so that the larger comes first.
func falling[N cmp.Ordered](a, b N) int { return cmp.Compare(b, a) }
