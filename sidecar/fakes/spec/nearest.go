package spec

// Nearest gives the one of known that word is probably a misspelling of, or "".
func Nearest(word string, known []string) string {
	best, bestDistance := "", 1<<30
	if len(word) > 128 {
		return ""
	}
	for _, k := range known {
		// A third of the letters may differ; beyond that it is another word.
		d := distance(word, k)
		if d < bestDistance && d*3 <= max(len(k), len(word)) {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements of bytes, and swaps of neighbours, between a and b.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
