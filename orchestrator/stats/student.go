package stats

import "math"

// tQuantile is the 0.975 quantile of Student's distribution with df degrees of freedom, at least 1.
func tQuantile(df int) float64 {
	const series = 200 // from here on the expansion is right to the last digits
	if df > series {
		return cornishFisher(float64(df))
	}
	low, high := z, 13.0 // it is 12.706 with one degree of freedom, and falls from there to z
	for range 60 {
		if mid := (low + high) / 2; within(mid, df) < Level {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// within is the probability that a value of Student's distribution lies between -t and t (Abramowitz and Stegun 26.7.3 and 26.7.4).
func within(t float64, df int) float64 {
	sin, cos := math.Sincos(math.Atan(t / math.Sqrt(float64(df))))
	if df%2 == 0 {
		return sin * powers(cos*cos, 1, df-2)
	}
	rest := 0.0
	if df > 1 {
		rest = sin * cos * powers(cos*cos, 2, df-2)
	}
	return 2 / math.Pi * (math.Atan(t/math.Sqrt(float64(df))) + rest)
}

// powers is 1 + a/(a+1)·x + a(a+2)/((a+1)(a+3))·x² + … up to the denominator last.
func powers(x float64, a, last int) float64 {
	term, sum := 1.0, 1.0
	for d := a + 1; d <= last; d += 2 {
		term *= x * float64(d-1) / float64(d)
		sum += term
	}
	return sum
}

// cornishFisher expands the quantile round that of the normal distribution (Abramowitz and Stegun 26.7.5).
func cornishFisher(df float64) float64 {
	z2 := z * z
	g1 := (z2 + 1) * z / 4
	g2 := ((5*z2+16)*z2 + 3) * z / 96
	g3 := (((3*z2+19)*z2+17)*z2 - 15) * z / 384
	return z + g1/df + g2/(df*df) + g3/(df*df*df)
}
