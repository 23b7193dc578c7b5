package stack

import (
	"errors"
	"fmt"
	"strings"
)

// maxText bounds what all texts of a compose file come to with their variables replaced, in bytes.
const maxText = 8 << 20

var errTooLong = errors.New("is too long with its variables replaced")

// maxNesting bounds defaults within defaults: ${A:-${B:-...}}.
const maxNesting = 32

// expander replaces the variables in one text of the compose file. It follows the compose specification's chapter on
// interpolation, except that a variable which is not set and has no default is reported and not blank.
type expander struct {
	look func(name string) (value string, ok, secret bool)
	room *int // bytes that may still be made; texts that double one another would fill the memory

	// What was met on the way:
	missing   []missing
	defaulted []string // names that are not set and have a default
	secret    bool     // some value used is not to be shown
}

type missing struct{ name, reason string }

// expand gives text with its variables replaced. A dollar sign that starts neither a name nor a brace stands for itself.
func (e *expander) expand(text string) (string, error) { return e.nested(text, 0) }

func (e *expander) nested(text string, depth int) (string, error) {
	if depth > maxNesting {
		return "", fmt.Errorf("defaults are nested more than %d deep", maxNesting)
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		out.WriteString(before)
		if *e.room -= len(before); *e.room < 0 {
			return "", errTooLong
		}
		if !found {
			return out.String(), nil
		}
		switch n := nameLength(after); {
		case n > 0:
			value := e.plain(after[:n], "")
			if *e.room -= len(value); *e.room < 0 {
				return "", errTooLong
			}
			out.WriteString(value)
			text = after[n:]
		case strings.HasPrefix(after, "$"):
			out.WriteByte('$')
			text = after[1:]
		case strings.HasPrefix(after, "{"):
			end := closing(after)
			if end < 0 {
				return "", fmt.Errorf("${ without its }; write $$ for a dollar sign")
			}
			value, err := e.braced(after[1:end], depth)
			if err != nil {
				return "", err
			}
			if *e.room -= len(value); *e.room < 0 {
				return "", errTooLong
			}
			out.WriteString(value)
			text = after[end+1:]
		default:
			out.WriteByte('$')
			text = after
		}
	}
}

// plain gives the value of a variable that has no default.
func (e *expander) plain(name, reason string) string {
	value, ok, secret := e.look(name)
	if !ok {
		e.missing = append(e.missing, missing{name, reason})
	}
	e.secret = e.secret || secret
	return value
}

// braced gives the value of what stands between ${ and }.
func (e *expander) braced(inner string, depth int) (string, error) {
	n := nameLength(inner)
	name, rest := inner[:n], inner[n:]
	if n == 0 {
		return "", fmt.Errorf("${%s} names no variable; write $$ for a dollar sign", inner)
	}
	if rest == "" {
		return e.plain(name, ""), nil
	}
	rest, emptyIsUnset := strings.CutPrefix(rest, ":")
	if rest == "" || !strings.ContainsRune("-+?", rune(rest[0])) {
		return "", fmt.Errorf("${%s} is not a form of reference; the forms are ${NAME}, and ${NAME:-default} with -, + or ?", inner)
	}
	value, ok, secret := e.look(name)
	set := ok && (value != "" || !emptyIsUnset)
	operator, operand := rest[0], rest[1:]
	switch {
	case operator == '+' && !set:
		return "", nil
	case operator == '+':
		return e.nested(operand, depth+1)
	case set:
		e.secret = e.secret || secret
		return value, nil
	case operator == '-':
		if !ok {
			e.defaulted = append(e.defaulted, name)
		}
		return e.nested(operand, depth+1)
	}
	reason, err := e.nested(operand, depth+1)
	if err != nil {
		return "", err
	}
	e.missing = append(e.missing, missing{name, reason})
	return "", nil
}

// nameLength is how many bytes at the start of s make a variable's name.
func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

// closing is where the brace that opens s is closed, or -1.
func closing(s string) int {
	open := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}
