package format

import (
	"strconv"
	"strings"
)

// head is the part of a line up to its colon: a key, the head of an array, or both (section 6).
type head struct {
	key     string
	hasKey  bool
	array   bool
	length  int
	delim   byte
	fields  []string
	rest    string // after the colon, without surrounding blanks
	problem string
}

// readHead reads the head of a line. It returns false when the line has none, which makes it a plain value.
func readHead(s string) (head, bool) {
	h := head{delim: ','}
	rest := s
	switch {
	case strings.HasPrefix(s, `"`):
		var what string
		h.key, rest, what = unquote(s)
		if what != "" {
			h.problem = what
			return h, true
		}
		if rest == "" || rest[0] != ':' && rest[0] != '[' {
			return h, false
		}
		h.hasKey = true
	default:
		at := strings.IndexAny(s, `:["`)
		if at < 0 || s[at] == '"' {
			return h, false
		}
		h.key, rest, h.hasKey = strings.TrimSpace(s[:at]), s[at:], at > 0
	}
	if rest[0] == '[' {
		rest = h.bracket(rest)
		if h.problem != "" {
			return h, true
		}
	}
	if !strings.HasPrefix(rest, ":") {
		h.problem = "a colon is missing after the key"
		return h, true
	}
	h.rest = strings.Trim(rest[1:], " ")
	return h, true
}

// bracket reads "[N]" or "[N]{a,b}" and gives what follows.
func (h *head) bracket(s string) string {
	inside, rest, ok := strings.Cut(s[1:], "]")
	if !ok {
		h.problem = "a bracket is not closed"
		return ""
	}
	if n := len(inside); n > 0 && (inside[n-1] == '|' || inside[n-1] == '\t') {
		h.delim, inside = inside[n-1], inside[:n-1]
	}
	n, err := strconv.Atoi(inside)
	if err != nil || n < 0 || digits(inside) != len(inside) {
		h.problem = "the length of an array has to be a whole number"
		return ""
	}
	h.array, h.length = true, n
	if !strings.HasPrefix(rest, "{") {
		return rest
	}
	end := unquotedIndex(rest, '}')
	if end < 0 {
		h.problem = "a brace is not closed"
		return ""
	}
	for _, cell := range split(rest[1:end], h.delim) {
		name := cell
		if strings.HasPrefix(cell, `"`) {
			var after, what string
			if name, after, what = unquote(cell); what != "" || after != "" {
				h.problem = "a field name is not quoted properly"
				return ""
			}
		}
		h.fields = append(h.fields, name)
	}
	return rest[end+1:]
}

// unquotedIndex gives the first c in s that is outside of quotes, or -1.
func unquotedIndex(s string, c byte) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && s[i] == c:
			return i
		}
	}
	return -1
}

// split cuts s at each delimiter outside of quotes and trims the pieces.
func split(s string, delim byte) []string {
	var cells []string
	for {
		at := unquotedIndex(s, delim)
		if at < 0 {
			return append(cells, strings.Trim(s, " "))
		}
		cells = append(cells, strings.Trim(s[:at], " "))
		s = s[at+1:]
	}
}
