package stack

import (
	"fmt"
	"strings"
	"unicode"
)

// Place is a spot in a compose file. Line and Column start at 1 and are 0 when unknown.
type Place struct {
	File         string
	Line, Column int
	Service      string // empty outside services
	Key          string // the key's path inside the service, or inside the file outside services
}

// String gives the place as "FILE:LINE:COLUMN: service NAME: KEY", leaving out what is unknown.
func (p Place) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	if p.Service != "" {
		b.WriteString(": service " + p.Service)
	}
	if p.Key != "" {
		b.WriteString(": " + p.Key)
	}
	return printable(b.String())
}

// Warning is something in the compose file that was read differently from what its author may expect.
type Warning struct {
	Place Place
	Text  string
	// Exposes says that it is about tests or a solution that the agent may see.
	Exposes bool
}

// String gives the place and the text in one line.
func (w Warning) String() string { return printable(w.Place.String() + ": " + w.Text) }

// printable gives text with a question mark for every character that could steer a terminal or break a line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, text)
}
