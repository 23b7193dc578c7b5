package base

import (
	"cmp"
	"strings"
)

// CompareVersions orders two Debian version numbers as dpkg does
// (deb-version(7)): -1, 0 or +1. Any text is accepted.
func CompareVersions(a, b string) int {
	ae, au, ar := splitVersion(a)
	be, bu, br := splitVersion(b)
	return cmp.Or(compareDigits(ae, be), comparePart(au, bu), comparePart(ar, br))
}

func splitVersion(v string) (epoch, upstream, revision string) {
	if e, rest, ok := strings.Cut(v, ":"); ok {
		epoch, v = e, rest
	}
	if i := strings.LastIndexByte(v, '-'); i >= 0 {
		return epoch, v[:i], v[i+1:]
	}
	return epoch, v, ""
}

func comparePart(a, b string) int {
	for a != "" || b != "" {
		for (a != "" && !isDigit(a[0])) || (b != "" && !isDigit(b[0])) {
			if c := cmp.Compare(weight(a), weight(b)); c != 0 {
				return c
			}
			a, b = rest(a), rest(b)
		}
		i, j := digits(a), digits(b)
		if c := compareDigits(a[:i], b[:j]); c != 0 {
			return c
		}
		a, b = a[i:], b[j:]
	}
	return 0
}

// compareDigits compares numbers of any length without turning them into one.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func weight(s string) int {
	switch {
	case s == "" || isDigit(s[0]):
		return 0
	case s[0] == '~':
		return -1
	case s[0] >= 'A' && s[0] <= 'Z', s[0] >= 'a' && s[0] <= 'z':
		return int(s[0])
	default:
		return int(s[0]) + 256
	}
}

func rest(s string) string {
	if s == "" {
		return s
	}
	return s[1:]
}

func digits(s string) int {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
