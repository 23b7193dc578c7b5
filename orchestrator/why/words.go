package why

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/orchestrator/report"
)

// clip makes foreign text one line of at most 300 bytes that is safe for a terminal.
func clip(s string) string {
	const most = 300
	cut := len(s) > 4*most
	if cut {
		s = s[:4*most] // enough to clean
	}
	s = report.Clean(strings.ToValidUTF8(s, "?"))
	if cut || len(s) > most {
		s = strings.ToValidUTF8(s[:min(len(s), most)], "") + "..."
	}
	return s
}

// literal is a value that stands as it is.
type literal string

// proof is a place in a record with its value.
func proof(at string, value any) string {
	switch v := value.(type) {
	case string:
		return at + " = " + strconv.Quote(clip(v))
	case float64:
		return at + " = " + number(v)
	}
	return fmt.Sprintf("%s = %v", at, value)
}

// logged is a line of a log file.
func logged(file string, l Line) string {
	if l.Number == 0 {
		return clip(file) + ": " + clip(l.Text)
	}
	return fmt.Sprintf("%s:%d: %s", clip(file), l.Number, clip(l.Text))
}

// number shows a number with at most four decimals.
func number(v float64) string {
	const large = 1e9
	if math.Abs(v) >= large {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	s := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 4, 64), "0"), ".")
	if s == "-0" || s == "0" && v != 0 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return s
}

// seconds shows a time with one decimal.
func seconds(v float64) string {
	const large = 1e9
	if math.Abs(v) >= large {
		return strconv.FormatFloat(v, 'g', 6, 64) + " s"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " s"
}

// percent shows a part of a whole.
func percent(part, whole float64) string {
	return strconv.FormatFloat(100*part/whole, 'f', 0, 64) + " %"
}

func plural[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	switch {
	case strings.HasSuffix(what, "s"):
		return fmt.Sprintf("%d %ses", n, what)
	case strings.HasSuffix(what, "try"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// known is the value of a count, 0 where it is unknown or none.
func known[N int64 | float64](n *N) N {
	if n == nil || *n < 0 {
		return 0
	}
	return *n
}

// some are the first few of a list; how many more there are comes last.
func some(all []string) []string {
	const most = 5
	if len(all) <= most {
		return all
	}
	return append(append([]string{}, all[:most]...), fmt.Sprintf("and %d more", len(all)-most))
}

// exitWords says what a shell means by an exit code.
func exitWords(exit int) string {
	const first, last = 129, 192
	s := fmt.Sprintf("exit code %d", exit)
	switch {
	case exit == 126:
		s += ", a shell's word for what could not be executed"
	case exit == 127:
		s += ", a shell's word for what was not found"
	case exit >= first && exit <= last:
		s += fmt.Sprintf(", a shell's word for what signal %d killed", exit-first+1)
	}
	return s
}
