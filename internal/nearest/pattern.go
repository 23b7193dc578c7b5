package nearest

import "strings"

// OfPattern gives the one of known that a pattern with *, ? and [ ] was probably meant to match, or "".
func OfPattern(pattern string, known []string) string {
	if near := Of(pattern, known); near != "" {
		return near
	}
	literal := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*?[]\`, r) {
			return -1
		}
		return r
	}, pattern)
	const longest = 64
	best, bestDistance := "", 3
	if literal == "" || len(literal) > longest {
		return ""
	}
	for _, k := range known {
		d := Distance(literal, k[:min(len(k), len(literal))])
		if d < bestDistance && d*2 < len(literal) {
			best, bestDistance = k, d
		}
	}
	return best
}
