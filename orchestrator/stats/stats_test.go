package stats_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seatrial/seatrial/orchestrator/stats"
)

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

func TestMean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"one value is its own mean", []float64{0.3}, 0.3},
		{"equal values have that mean to the last digit", []float64{0.1, 0.1, 0.1}, 0.1},
		{"two values", []float64{1, 0}, 0.5},
		{"a sum beyond all numbers", []float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
		{"negative values", []float64{-1, -2}, -1.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := *stats.Mean(c.values); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	if stats.Mean(nil) != nil {
		t.Error("nothing has a mean")
	}
}

// The interval's half width is the quantile times s/√n; of the values 0 and 1, and enough zeros and ones for more degrees of freedom.
func TestMeanIntervalUsesStudentsQuantiles(t *testing.T) {
	t.Parallel()
	for df, want := range map[int]float64{1: 12.7062047, 2: 4.3026527, 3: 3.1824463, 4: 2.7764451, 5: 2.5705818, 10: 2.2281389, 29: 2.0452296, 30: 2.0422725, 60: 2.0002978, 100: 1.9839715,
		120: 1.9799304, 200: 1.9718962, 201: 1.9718365, 1000: 1.9623391} {
		values := []float64{1}
		for range df {
			values = append(values, 0)
		}
		n := float64(len(values))
		deviation := math.Sqrt((1 - 1/n) / (n - 1)) // of one 1 among zeros
		i := stats.MeanInterval(values)
		if got := (i.High - i.Low) / 2 / (deviation / math.Sqrt(n)); !near(got, want, 1e-6) {
			t.Errorf("%d degrees of freedom: %v, want %v", df, got, want)
		}
	}
}

func TestMeanIntervalIsAbsentWhereNothingTellsTheSpread(t *testing.T) {
	t.Parallel()
	for _, values := range [][]float64{nil, {1}, {0.5, 0.5, 0.5}, {math.MaxFloat64, -math.MaxFloat64}} {
		if i := stats.MeanInterval(values); i != nil {
			t.Errorf("%v: %+v", values, i)
		}
	}
}

func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		p         float64
		n         int
		low, high float64
	}{
		{"none of ten", 0, 10, 0, 0.277533},
		{"all of ten", 1, 10, 0.722467, 1},
		{"five of ten", 0.5, 10, 0.236593, 0.763407},
		{"one of one", 1, 1, 0.206549, 1},
		{"eighty of a hundred", 0.8, 100, 0.711171, 0.866634},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := stats.Wilson(c.p, c.n)
			if !near(i.Low, c.low, 1e-5) || !near(i.High, c.high, 1e-5) {
				t.Errorf("%+v, want %v to %v", i, c.low, c.high)
			}
		})
	}
	if stats.Wilson(0, 0) != nil {
		t.Error("no cases have an interval")
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	twenty := make([]float64, 20)
	for i := range twenty {
		twenty[i] = float64(i + 1)
	}
	for _, c := range []struct {
		values []float64
		p      int
		want   float64
	}{{[]float64{7}, 50, 7}, {[]float64{7}, 95, 7}, {[]float64{1, 2}, 50, 1}, {[]float64{1, 2, 3}, 50, 2}, {twenty, 50, 10}, {twenty, 95, 19}, {twenty, 96, 20}, {twenty, 100, 20}, {twenty, 1, 1}} {
		if got := stats.Percentile(c.values, c.p); got != c.want {
			t.Errorf("%d %% of %v: %v, want %v", c.p, c.values, got, c.want)
		}
	}
}

// ratio is 1 - C(n-c,k)/C(n,k), or C(c,k)/C(n,k), without rounding.
func ratio(n, c, k int, all bool) float64 {
	of := new(big.Int).Binomial(int64(n), int64(k))
	r := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(c), int64(k)), of)
	if !all {
		none := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(n-c), int64(k)), of)
		r.Sub(big.NewRat(1, 1), none)
	}
	f, _ := r.Float64()
	return f
}

func TestPassesAreTheUnbiasedEstimates(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 5, 10, 56, 57, 100, 400} {
		for c := 0; c <= n; c += max(1, n/7) {
			at, hat := stats.Passes(n, c)
			for k := 1; k <= n; k++ {
				within := 0.0
				if n > 56 {
					within = 1e-12
				}
				if a, h := ratio(n, c, k, false), ratio(n, c, k, true); !near(at[k-1], a, within) || !near(hat[k-1], h, within) {
					t.Fatalf("%d of %d, k %d: %v and %v, want %v and %v", c, n, k, at[k-1], hat[k-1], a, h)
				}
			}
			if !slices.IsSorted(at) || !slices.IsSortedFunc(hat, func(a, b float64) int { return int(math.Copysign(1, b-a)) * b2i(a != b) }) {
				t.Errorf("%d of %d: pass@k falls or pass^k rises: %v %v", c, n, at, hat)
			}
			if at[0] != hat[0] && n <= 56 {
				t.Errorf("%d of %d: pass@1 %v is not pass^1 %v", c, n, at[0], hat[0])
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestNothingDependsOnTheOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]float64, 2+r.IntN(50))
		for i := range values {
			values[i] = r.NormFloat64()
		}
		mean, interval, sum := *stats.Mean(values), *stats.MeanInterval(values), stats.Sum(values)
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		if got := fmt.Sprint(*stats.Mean(values), *stats.MeanInterval(values), stats.Sum(values)); got != fmt.Sprint(mean, interval, sum) {
			t.Errorf("%s, and in another order %v %v %v", got, mean, interval, sum)
		}
	}
}

func FuzzEveryNumberIsFinite(f *testing.F) {
	f.Add(1.0, -1.0, 0.0)
	f.Add(math.MaxFloat64, -math.MaxFloat64, 1e308)
	f.Fuzz(func(t *testing.T, a, b, c float64) {
		values := []float64{a, b, c}
		for _, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Skip()
			}
		}
		all := []float64{*stats.Mean(values), stats.Sum(values)}
		if i := stats.MeanInterval(values); i != nil {
			all = append(all, i.Low, i.High)
			if i.Low > all[0] || i.High < all[0] {
				t.Errorf("the mean %v is not within %+v", all[0], i)
			}
		}
		for _, v := range all {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%v: %v", values, all)
			}
		}
		if all[0] < slices.Min(values) || all[0] > slices.Max(values) {
			t.Errorf("%v has the mean %v", values, all[0])
		}
	})
}
