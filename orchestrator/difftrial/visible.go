package difftrial

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes each byte of a line seen: control characters, those that change the direction of text, and bytes that are no UTF-8 are written as escapes, as \t or \xff. Two lines that
// are not the same do not look the same, unless one holds such an escape itself.
func visible(line []byte) string {
	var b strings.Builder
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, line[0])
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\n':
			b.WriteString(`\n`)
		case r < utf8.RuneSelf && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.Write(line[:n])
		}
		line = line[n:]
	}
	return b.String()
}

// The bytes of a line that are shown, and how many of them at most stand before the place that matters.
const (
	maxShown = 200
	leadIn   = 60
)

// window is the part of a line that is shown: around the byte at, with dots where something is left out. line may be the beginning of a longer one.
func window(line []byte, at int, longer bool) string {
	from, to := 0, len(line)
	if at > maxShown-leadIn {
		from = boundary(line, at-leadIn)
	}
	if to-from > maxShown {
		to = boundary(line, from+maxShown)
	}
	s := visible(line[from:to])
	if from > 0 {
		s = "..." + s
	}
	if to < len(line) || longer {
		s += "..."
	}
	return s
}

// boundary is the last place up to i that splits no character.
func boundary(line []byte, i int) int {
	i = min(i, len(line))
	for back := range utf8.UTFMax {
		if j := i - back; j <= 0 || j == len(line) || utf8.RuneStart(line[j]) {
			return max(j, 0)
		}
	}
	return i
}
