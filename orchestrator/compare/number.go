package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/orchestrator/report"
)

// number shows a score or a difference with at most four decimals, unless that would make it look like another whole number, or is too long.
func number(v float64) string {
	const large = 1e6
	if math.Abs(v) >= large {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	s := strconv.FormatFloat(v, 'f', 4, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if shown, err := strconv.ParseFloat(s, 64); err != nil || shown != v && shown == math.Trunc(shown) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// numberOr shows a number that may not be there.
func numberOr(v *float64) string {
	if v == nil {
		return none
	}
	return number(*v)
}

// signed shows a difference; one that is too small for four decimals with three digits.
func signed(v float64) string {
	const small = 0.00005
	s := number(v)
	if v != 0 && math.Abs(v) < small {
		s = strconv.FormatFloat(v, 'g', 3, 64)
	}
	if v > 0 {
		s = "+" + s
	}
	return s
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// clean makes foreign text safe for a terminal and not too long.
func clean(s string) string {
	const most = 200
	s = report.Clean(s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
