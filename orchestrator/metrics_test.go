package orchestrator_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier"
)

// scoredAs is a case, or a trial, with a score.
func scoredAs(id string, v float64) orchestrator.Case {
	return orchestrator.Case{ID: id, Status: orchestrator.Complete, Score: &v}
}

// brokenAs is an incomplete one.
func brokenAs(id, code string) orchestrator.Case {
	return orchestrator.Case{ID: id, Status: orchestrator.Incomplete, Error: &orchestrator.Fault{Code: code}}
}

// tried is a case of several trials.
func tried(id string, trials ...orchestrator.Case) orchestrator.Case {
	c := orchestrator.Group(trials, len(trials), false)
	c.ID = id
	return c
}

func tries(id string, scores ...float64) orchestrator.Case {
	var trials []orchestrator.Case
	for _, v := range scores {
		trials = append(trials, scoredAs(id, v))
	}
	return tried(id, trials...)
}

func measured(cases ...orchestrator.Case) *orchestrator.Metrics {
	return orchestrator.Measure(cases, orchestrator.MetricOptions{PassBar: 1})
}

func show(v *float64) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%.4g", *v)
}

func TestMeasuredScores(t *testing.T) {
	t.Parallel()
	one := 1
	within := scoredAs("a", 1)
	within.ContractVersion = &one
	other := scoredAs("b", 0)
	other.ContractVersion = &one
	for _, c := range []struct {
		name  string
		cases []orchestrator.Case
		want  string // mean, low, high, scored, no score, incomplete
	}{
		{"nothing", nil, "none none none 0 0 0"},
		{"one case has no interval", []orchestrator.Case{scoredAs("a", 1)}, "1 none none 1 0 0"},
		{"equal scores have no interval", []orchestrator.Case{scoredAs("a", 1), scoredAs("b", 1)}, "1 none none 2 0 0"},
		// s = 0.7071, s/√2 = 0.5, t(1) = 12.706
		{"two cases", []orchestrator.Case{scoredAs("a", 1), scoredAs("b", 0)}, "0.5 -5.853 6.853 2 0 0"},
		{"scores of the contract have an interval within it", []orchestrator.Case{within, other}, "0.5 0 1 2 0 0"},
		// mean 2, s = 1, s/√3 = 0.57735, t(2) = 4.30265
		{"three cases", []orchestrator.Case{scoredAs("a", 1), scoredAs("b", 2), scoredAs("c", 3)}, "2 -0.4841 4.484 3 0 0"},
		{"what is incomplete or without a score is in no mean", []orchestrator.Case{scoredAs("a", 1), brokenAs("b", "internal"), {ID: "c", Status: orchestrator.Complete}}, "1 none none 1 1 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := measured(c.cases...).Score
			low, high := "none", "none"
			if s.Interval != nil {
				low, high = show(&s.Interval.Low), show(&s.Interval.High)
			}
			if got := fmt.Sprint(show(s.Mean), " ", low, " ", high, " ", s.Scored, " ", s.NoScore, " ", s.Incomplete); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestMeasuredPasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cases []orchestrator.Case
		want  string // for each k: cases, pass@k, pass^k
	}{
		{"nothing", nil, ""},
		{"nothing with a score", []orchestrator.Case{brokenAs("a", "internal")}, "0 none none"},
		{"one trial each", []orchestrator.Case{scoredAs("a", 1), scoredAs("b", 0.5)}, "2 0.5 0.5"},
		// c = 1 of n = 2: pass@1 1/2, pass@2 1, pass^2 0.
		{"two trials that differ", []orchestrator.Case{tries("a", 1, 0)}, "1 0.5 0.5; 1 1 0"},
		// c = 2 of n = 4: pass@2 = 1 - C(2,2)/C(4,2) = 5/6, pass^2 = 1/6; pass@3 = 1, pass^3 = 0.
		{"two of four", []orchestrator.Case{tries("a", 1, 0, 1, 0)}, "1 0.5 0.5; 1 0.8333 0.1667; 1 1 0; 1 1 0"},
		{"two cases", []orchestrator.Case{tries("a", 1, 1), tries("b", 0, 0)}, "2 0.5 0.5; 2 0.5 0.5"},
		// The incomplete trial is left out: b counts for k = 1 alone.
		{"a trial that is incomplete", []orchestrator.Case{tries("a", 1, 0), tried("b", scoredAs("b", 1), brokenAs("b", "internal"))}, "2 0.75 0.75; 1 1 0"},
		{"no case has enough", []orchestrator.Case{tried("b", scoredAs("b", 1), brokenAs("b", "internal"))}, "1 1 1; 0 none none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for i, p := range measured(c.cases...).Pass.ByK {
				if p.K != i+1 {
					t.Errorf("k %d at %d", p.K, i)
				}
				got = append(got, fmt.Sprint(p.Cases, " ", show(p.At), " ", show(p.Hat)))
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("%s, want %s", s, c.want)
			}
		})
	}
}

func TestThePassBarDecidesWhatPasses(t *testing.T) {
	t.Parallel()
	for bar, want := range map[float64]int{0.5: 3, 0.75: 2, 1: 1, 2: 0, -1: 3} {
		p := orchestrator.Measure([]orchestrator.Case{tries("a", 1, 0.75), scoredAs("b", 0.5)}, orchestrator.MetricOptions{PassBar: bar}).Pass
		if p.Bar != bar || p.Trials != 3 || p.Passed != want {
			t.Errorf("bar %v: %+v, want %d passed", bar, p, want)
		}
	}
}

func TestMeasuredParts(t *testing.T) {
	t.Parallel()
	half, agent, cost, in := 0.5, 3.0, 0.25, int64(100)
	a, b, c := scoredAs("a", 1), scoredAs("b", 0), brokenAs("c", "internal")
	a.Tags, b.Tags, c.Tags = []string{"easy", "shell"}, []string{"shell", "shell"}, []string{"shell"}
	a.Scores = []verifier.Score{{Name: "reward", Value: &half}, {Name: "style", Value: &half}, {Name: "tone"}}
	b.Scores = []verifier.Score{{Name: "tone"}}
	a.Timing, b.Timing.Total, c.Timing.Total = orchestrator.Timing{Agent: &agent, Total: 4}, 6, 2
	a.Result = orchestrator.Result{Cost: &cost, Tokens: &orchestrator.Tokens{Input: &in}}
	m := measured(a, b, c)
	one, zero := 1.0, 0.5
	if diff := cmp.Diff([]orchestrator.TagMetrics{{Tag: "easy", Cases: 1, Mean: &one, Scored: 1}, {Tag: "shell", Cases: 3, Mean: &zero, Scored: 2, Incomplete: 1}}, m.Tags); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]orchestrator.DimensionMetrics{{Name: "style", Mean: &half, Scored: 1}, {Name: "tone", NotApplicable: 2}}, m.Dimensions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]orchestrator.PhaseMetrics{{Phase: "agent", Trials: 1, Sum: 3, Mean: 3, P50: 3, P95: 3, Max: 3}, {Phase: "total", Trials: 3, Sum: 12, Mean: 4, P50: 4, P95: 6, Max: 6}}, m.Phases); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]orchestrator.SlowCase{{"b", 6}, {"a", 4}, {"c", 2}}, m.Slowest); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(orchestrator.UsageMetrics{TokenTrials: 1, Input: &in, CostTrials: 1, Cost: &cost}, m.Usage); diff != "" {
		t.Error(diff)
	}
}

func TestTheFlakiestComeFirst(t *testing.T) {
	t.Parallel()
	m := measured(tries("steady", 0, 0), tries("quarter", 1, 0, 0, 0), tries("half", 1, 0, 1, 0), tries("never-passes", 0.5, 0), tried("broken", scoredAs("x", 1), brokenAs("x", "internal")), scoredAs("once", 1))
	want := []orchestrator.FlakyCase{{"half", 4, 2, 0, 1}, {"quarter", 4, 1, 0, 1}, {"never-passes", 2, 0, 0, 0.5}}
	if diff := cmp.Diff(want, m.Flakiest); diff != "" {
		t.Error(diff)
	}
}

// anyCases makes cases as a run might have them, and worse.
func anyCases(r *rand.Rand, most int) []orchestrator.Case {
	var cases []orchestrator.Case
	some := func(v float64) *float64 {
		if r.IntN(3) == 0 {
			return nil
		}
		return &v
	}
	trial := func(id string) orchestrator.Case {
		c := scoredAs(id, []float64{0, 0.1, 0.5, 1, -3, 1e308, -1e308}[r.IntN(7)])
		if r.IntN(5) == 0 {
			c = brokenAs(id, "internal")
		} else if r.IntN(6) == 0 {
			c.Score = nil
		}
		for _, name := range []string{"reward", "style", "tone"} {
			c.Scores = append(c.Scores, verifier.Score{Name: name, Value: some(r.Float64())})
		}
		n := r.Int64N(math.MaxInt64)
		c.Timing = orchestrator.Timing{Agent: some(r.Float64() * 1e308), Total: r.Float64() * 1e308}
		c.Result = orchestrator.Result{Cost: some(1e308), Tokens: &orchestrator.Tokens{Input: &n}}
		return c
	}
	for range r.IntN(most + 1) {
		id := string(rune('a' + r.IntN(8)))
		c := trial(id)
		if n := r.IntN(4); n > 0 {
			var trials []orchestrator.Case
			for range n {
				trials = append(trials, trial(id))
			}
			c.Trials = trials
		}
		c.Tags = []string{"x", "y"}[:r.IntN(3)]
		cases = append(cases, c)
	}
	return cases
}

// checkMeasured holds what is true of any cases.
func checkMeasured(t *testing.T, r *rand.Rand, cases []orchestrator.Case) {
	t.Helper()
	o := orchestrator.MetricOptions{PassBar: 0.5}
	one, err := orchestrator.Encode(orchestrator.Measure(cases, o))
	if err != nil {
		t.Fatalf("a number is not finite: %v", err)
	}
	r.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	m := orchestrator.Measure(cases, o)
	other, err := orchestrator.Encode(m)
	if err != nil || string(one) != string(other) {
		t.Fatalf("%v; the order of the cases changes what they come to:\n%s", err, cmp.Diff(string(one), string(other)))
	}
	if s := m.Score; s.Scored+s.NoScore+s.Incomplete != len(cases) {
		t.Errorf("%d cases make %+v", len(cases), s)
	}
	for i, p := range m.Pass.ByK {
		if p.Cases == 0 != (p.At == nil) || p.At != nil && (*p.At < *p.Hat || *p.Hat < 0 || *p.At > 1) {
			t.Errorf("k %d: %+v", p.K, p)
		}
		// Where the same cases count, more trials pass at least once more often, and all of them less often.
		if i > 0 && p.Cases > 0 && p.Cases == m.Pass.ByK[i-1].Cases && (*p.At < *m.Pass.ByK[i-1].At || *p.Hat > *m.Pass.ByK[i-1].Hat) {
			t.Errorf("k %d: %v and %v after %v and %v", p.K, *p.At, *p.Hat, *m.Pass.ByK[i-1].At, *m.Pass.ByK[i-1].Hat)
		}
	}
}

func TestMeasureHoldsForAnyCases(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		checkMeasured(t, r, anyCases(r, 30))
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		r := rand.New(rand.NewPCG(a, b))
		checkMeasured(t, r, anyCases(r, 8))
	})
}

func TestTenThousandCasesAreMeasuredFast(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var cases []orchestrator.Case
	for len(cases) < 10_000 {
		cases = append(cases, anyCases(r, 50)...)
	}
	started := time.Now()
	orchestrator.Measure(slices.Clip(cases), orchestrator.MetricOptions{PassBar: 1})
	took := time.Since(started)
	t.Logf("%d cases in %v", len(cases), took)
	if took > 3*time.Second {
		t.Errorf("%d cases took %v", len(cases), took)
	}
}
