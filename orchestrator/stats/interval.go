package stats

import (
	"math"
	"slices"
)

// Level is the confidence of every interval.
const Level = 0.95

// Methods of intervals.
const (
	StudentT     = "student_t"
	WilsonMethod = "wilson"
)

// Interval is a confidence interval, both ends included.
type Interval struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Level  float64 `json:"level"`
	Method string  `json:"method"`
}

// MeanInterval is Student's t interval for the mean of what the values are a sample of: mean ± t(n-1) · s/√n. It is nil for fewer than two values, and where all are
// the same, since then nothing tells how far they spread.
func MeanInterval(values []float64) *Interval {
	m := Mean(values)
	if len(values) < 2 || slices.Min(values) == slices.Max(values) {
		return nil
	}
	n, squares := float64(len(values)), 0.0
	for _, v := range slices.Sorted(slices.Values(values)) {
		squares += (v - *m) * (v - *m)
	}
	half := tQuantile(len(values)-1) * math.Sqrt(squares/(n-1)/n)
	low, high := *m-half, *m+half
	if math.IsInf(low, 0) || math.IsInf(high, 0) || math.IsNaN(low) || math.IsNaN(high) {
		return nil
	}
	return &Interval{Low: low, High: high, Level: Level, Method: StudentT}
}

// Clamp narrows an interval to the values that are possible.
func (i *Interval) Clamp(low, high float64) *Interval {
	if i == nil {
		return nil
	}
	i.Low, i.High = max(i.Low, low), min(i.High, high)
	return i
}

// z is the 0.975 quantile of the normal distribution.
const z = 1.959963984540054

// Wilson is Wilson's score interval for a share p of n. It is nil for n = 0.
func Wilson(p float64, n int) *Interval {
	if n < 1 {
		return nil
	}
	f := float64(n)
	scale := 1 + z*z/f
	middle := (p + z*z/(2*f)) / scale
	half := z * math.Sqrt(p*(1-p)/f+z*z/(4*f*f)) / scale
	i := &Interval{Low: max(0, middle-half), High: min(1, middle+half), Level: Level, Method: WilsonMethod}
	// What rounding leaves of an end that is exact.
	if p == 0 {
		i.Low = 0
	}
	if p == 1 {
		i.High = 1
	}
	return i
}
