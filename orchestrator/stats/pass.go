package stats

// exactTrials is the largest number of trials whose binomial coefficients are all exact in a float64.
const exactTrials = 56

// Passes are, for k = 1 to n, the unbiased estimates of the chance that at least one of k trials passes (pass@k) and that all k do (pass^k), where c of n trials passed:
// 1 - C(n-c,k)/C(n,k) and C(c,k)/C(n,k). Up to 56 trials each is the nearest number to the true one.
func Passes(n, c int) (at, hat []float64) {
	at, hat = make([]float64, n), make([]float64, n)
	none, all := 1.0, 1.0
	for k := 1; k <= n; k++ {
		if n <= exactTrials {
			ways := binomial(n, k)
			at[k-1], hat[k-1] = float64(ways-binomial(n-c, k))/float64(ways), float64(binomial(c, k))/float64(ways)
			continue
		}
		left := float64(n - k + 1)
		none *= float64(max(0, n-c-k+1)) / left
		all *= float64(max(0, c-k+1)) / left
		at[k-1], hat[k-1] = 1-none, all
	}
	return at, hat
}

// binomial is C(n,k) for n up to exactTrials.
func binomial(n, k int) int64 {
	if k > n {
		return 0
	}
	k = min(k, n-k)
	ways := int64(1)
	for i := range k {
		ways = ways * int64(n-i) / int64(i+1)
	}
	return ways
}
