package verifier

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// readNumber converts a decimal number as written. It is finite, and without a sign when zero.
func readNumber(s string) (value float64, ok bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	if v == 0 {
		return 0, true
	}
	return v, true
}

// isScore tells whether a decimal number as written is from 0 to 1. It looks at the digits, since 1.00000000000000001
// is over 1 although the nearest float is not.
func isScore(s string) bool {
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(s, "+-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	// The number is 0.digits times ten to the power of point.
	point := len(digits) - len(fraction) + clampInt(exponent)
	digits = strings.TrimRight(digits, "0")
	switch {
	case digits == "":
		return true
	case negative:
		return false
	default:
		return point <= 0 || point == 1 && digits == "1"
	}
}

// clampInt reads an exponent; one that is beyond every file's length becomes very large or very small.
func clampInt(s string) int {
	const beyond = 1 << 40
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		// Atoi gives the nearest int when a number is out of range.
		return max(-beyond, min(beyond, n))
	}
	return max(-beyond, min(beyond, n))
}

// textNumber reads what Python's float() reads, without nan and inf: blanks around it, a sign, a missing digit before or
// after the point, an exponent, and single underscores between digits. The result is the number without underscores.
func textNumber(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if !regexp.MustCompile(`^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)([eE][+-]?\d+(_\d+)*)?$`).MatchString(s) {
		return "", false
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// isNotFinite tells whether s is one of the spellings of NaN and infinity that Python's float() reads.
func isNotFinite(s string) bool {
	switch strings.TrimLeft(strings.ToLower(strings.TrimSpace(s)), "+-") {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}
