package format

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// toonScalar writes a value that is neither array nor object, for a place where commas separate values.
func toonScalar(v any) string {
	switch v := v.(type) {
	case string:
		if bare(v) {
			return v
		}
		return toonQuote(v)
	case json.Number:
		// TOON has no exponents (section 2).
		if f, err := strconv.ParseFloat(string(v), 64); err == nil && strings.ContainsAny(string(v), "eE") {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return string(Canonical(v))
}

// bare reports whether a string may stand without quotes (section 7.2). Control characters that have no escape are
// quoted as well, so that no reader trims them.
func bare(s string) bool {
	if s == "" || s == "true" || s == "false" || s == "null" || s[0] == '-' || numberLike(s) {
		return false
	}
	if strings.TrimSpace(s) != s || strings.ContainsAny(s, ":\"\\[]{},") {
		return false
	}
	return !strings.ContainsFunc(s, unicode.IsControl)
}

// numberLike reports whether a reader could take s for a number; leading zeros are no number but are quoted too.
func numberLike(s string) bool {
	if zeros := strings.TrimLeft(s, "0"); zeros != s && zeros != "" {
		return isNumber(s) || isNumber(zeros) || digits(zeros) > 0
	}
	return isNumber(s)
}

func toonQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + `"`
}

// toonKey writes the name of a member (section 7.3).
func toonKey(s string) string {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return toonQuote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

// readScalar reads one value without its surrounding blanks.
func readScalar(s string) (any, string) {
	switch {
	case strings.HasPrefix(s, `"`):
		text, rest, what := unquote(s)
		if what == "" && rest != "" {
			what = "something follows the closing quote"
		}
		return text, what
	case s == "true", s == "false":
		return s == "true", ""
	case s == "null":
		return nil, ""
	case isNumber(s):
		if n, err := Number(s); err == nil {
			return n, ""
		}
	}
	return s, ""
}

// unquote reads the quoted string at the start of s. It returns what is wrong, if anything.
func unquote(s string) (text, rest, what string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], ""
		case '\\':
			i++
			if i == len(s) {
				return "", "", "a string has no closing quote"
			}
			at := strings.IndexByte(`\"nrt`, s[i])
			if at < 0 {
				return "", "", "a string holds an unknown escape; there are \\\\, \\\", \\n, \\r and \\t"
			}
			b.WriteByte("\\\"\n\r\t"[at])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", "a string has no closing quote"
}
