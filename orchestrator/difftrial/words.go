package difftrial

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/orchestrator/report"
)

// show is a value in words.
func (r *Row) show(v any) string {
	switch n := v.(type) {
	case nil:
		return "-"
	case string:
		return clean(n)
	case bool:
		if n {
			return "yes"
		}
		return "no"
	case int64:
		return r.whole(n)
	case int:
		return r.whole(int64(n))
	case float64:
		if r.Unit == unitSeconds {
			return rounded(n) + " s"
		}
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return clean(fmt.Sprint(v))
}

func (r *Row) whole(n int64) string {
	switch r.Unit {
	case unitBytes:
		return report.Bytes(n)
	case unitKiB:
		return strconv.FormatInt(n, 10) + " KiB"
	}
	return strconv.FormatInt(n, 10)
}

// note follows a row: how far a score moved, or the ratio of what was measured.
func (r *Row) note() string {
	switch {
	case r.Delta != nil:
		sign := ""
		if *r.Delta > 0 {
			sign = "+"
		}
		return sign + strconv.FormatFloat(*r.Delta, 'g', 4, 64)
	case r.Ratio != nil && r.Varies:
		return "x" + strconv.FormatFloat(*r.Ratio, 'g', 3, 64)
	}
	return ""
}

// rounded shows seconds with at most three decimals.
func rounded(v float64) string {
	const large = 1e6
	if math.Abs(v) >= large {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	s := strconv.FormatFloat(v, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// clean makes foreign text safe for a terminal and not too long.
func clean(s string) string {
	const most = 300
	if len(s) > 4*most {
		s = s[:4*most] // before all of it is gone through
	}
	s = report.Clean(s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
