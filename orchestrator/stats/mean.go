// Package stats holds the few formulas by which runs are measured. They are pure, never give what is not a number, and do not depend on the order of what they are given.
package stats

import (
	"math"
	"slices"
)

// Mean is the plain mean, never outside what it is the mean of. The mean of nothing is nil.
func Mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	// In sorted order, so that the order of the values cannot change the last digit.
	sorted := slices.Sorted(slices.Values(values))
	n, sum := float64(len(sorted)), 0.0
	for _, v := range sorted {
		sum += v
	}
	m := sum / n
	if math.IsInf(sum, 0) {
		m = 0
		for _, v := range sorted {
			m += v / n
		}
	}
	m = min(max(m, sorted[0]), sorted[len(sorted)-1])
	return &m
}

// Sum adds up in sorted order, and stops at the largest number there is.
func Sum(values []float64) float64 {
	sum := 0.0
	for _, v := range slices.Sorted(slices.Values(values)) {
		sum = Finite(sum + v)
	}
	return sum
}

// Finite is v, or the largest number of its sign where v is beyond it.
func Finite(v float64) float64 { return min(max(v, -math.MaxFloat64), math.MaxFloat64) }

// Percentile is the smallest of the values that at least p per cent of them do not exceed (the nearest rank). The values are sorted, and there is at least one; p is from 1 to 100.
func Percentile(sorted []float64, p int) float64 { return sorted[(p*len(sorted)+99)/100-1] }
