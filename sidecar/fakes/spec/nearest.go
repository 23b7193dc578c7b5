package spec

import "github.com/seatrial/seatrial/internal/nearest"

// Nearest gives the one of known that word is probably a misspelling of, or "". It is more generous than internal/nearest's own choice: an agent's
// call may be some letters away from the tool that it means.
func Nearest(word string, known []string) string {
	best, bestDistance := "", 1<<30
	if len(word) > 128 {
		return ""
	}
	for _, k := range known {
		// A third of the letters may differ; beyond that it is another word.
		d := nearest.Distance(word, k)
		if d < bestDistance && d*3 <= max(len(k), len(word)) {
			best, bestDistance = k, d
		}
	}
	return best
}
