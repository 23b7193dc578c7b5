// Package nearest finds the known name that a misspelt one was probably meant to be.
package nearest

// Of gives the one of known that word is probably a misspelling of, or "".
func Of(word string, known []string) string {
	const longest = 64 // no known name is near a longer word
	best, bestDistance := "", 3
	if len(word) > longest {
		return ""
	}
	for _, k := range known {
		// A word of three letters is two changes away from far too many others.
		if d := Distance(word, k); d < bestDistance && d*2 < len(k) {
			best, bestDistance = k, d
		}
	}
	return best
}

// Distance counts the insertions, deletions and replacements of bytes, and swaps of neighbours, between a and b.
func Distance(a, b string) int {
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
