package stack

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// envValue is one value of an env file.
type envValue struct {
	text   string
	secret bool // a value not to be shown went into it
}

// envReader reads a file of NAME=value lines in compose's syntax: comments, "export", quotes of both kinds over several
// lines, escapes in double quotes, and variables everywhere but in single quotes.
type envReader struct {
	vars   *variables
	report *report
	place  Place
	rest   string
	values map[string]envValue
}

// readEnv reads the text of an env file and reports what is wrong with it at its lines.
func readEnv(path, text string, v *variables, r *report) map[string]envValue {
	e := &envReader{
		vars: v, report: r, place: Place{File: path, Line: 1, Column: 1},
		rest: strings.TrimPrefix(text, "\ufeff"), values: make(map[string]envValue),
	}
	for e.skip() {
		if err := e.statement(); err != nil {
			r.fail(e.place, &InvalidError{Place: e.place, Reason: "is not a NAME=value line", Cause: err})
			return nil
		}
	}
	return e.values
}

// take removes the first n bytes and counts their lines.
func (e *envReader) take(n int) {
	e.place.Line += strings.Count(e.rest[:n], "\n")
	e.rest = e.rest[n:]
}

// skip moves to the next statement and says whether there is one.
func (e *envReader) skip() bool {
	for {
		e.take(len(e.rest) - len(strings.TrimLeftFunc(e.rest, unicode.IsSpace)))
		if !strings.HasPrefix(e.rest, "#") {
			return e.rest != ""
		}
		e.take(len(line(e.rest)))
	}
}

// line is the rest of the line that s begins in, without its end.
func line(s string) string {
	text, _, _ := strings.Cut(s, "\n")
	return text
}

// statement reads one NAME=value, or a NAME alone, which takes the value of the variable of that name.
func (e *envReader) statement() error {
	if after, ok := strings.CutPrefix(e.rest, "export"); ok && strings.TrimLeft(after, " \t") != after {
		e.take(len(e.rest) - len(strings.TrimLeft(after, " \t")))
	}
	head := line(e.rest)
	end := strings.IndexAny(head, "=:")
	bare := end < 0
	if bare {
		end = len(head)
	}
	name := strings.TrimSpace(head[:end])
	valid := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("_.-[]", r)
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !valid(r) }) {
		return errors.New("a name is made of letters, digits and _")
	}
	e.take(end)
	if bare {
		if value, ok, secret := e.vars.look(name); ok {
			e.values[name] = envValue{value, secret}
		}
		return nil
	}
	e.take(1)
	e.take(len(e.rest) - len(strings.TrimLeft(e.rest, " \t\r")))
	return e.value(name)
}

// value reads what stands after NAME=.
func (e *envReader) value(name string) error {
	if e.rest != "" && (e.rest[0] == '"' || e.rest[0] == '\'') {
		quote := e.rest[0]
		text, n := quoted(e.rest)
		if n < 0 {
			return errors.New("a quote is not closed")
		}
		var err error
		if quote == '"' {
			err = e.set(name, unescape(text))
		} else {
			e.values[name] = envValue{text: text}
		}
		e.take(n)
		return err
	}
	text, _, _ := strings.Cut(line(e.rest), " #")
	err := e.set(name, strings.TrimRightFunc(text, unicode.IsSpace))
	e.take(len(line(e.rest)))
	return err
}

// set replaces the variables in text and keeps the result. Names given earlier in the file may be used.
func (e *envReader) set(name, text string) error {
	x := expander{room: &e.vars.room, look: func(name string) (string, bool, bool) {
		if value, ok, secret := e.vars.look(name); ok {
			return value, ok, secret
		}
		value, ok := e.values[name]
		return value.text, ok, value.secret
	}}
	value, err := x.expand(text)
	if err != nil {
		return fmt.Errorf("value of %s: %w", name, err)
	}
	for _, m := range x.missing {
		e.report.fail(e.place, &VariableError{Place: e.place, Name: m.name, Reason: m.reason, OnHost: e.vars.onHost(m.name)})
	}
	e.values[name] = envValue{value, x.secret}
	return nil
}

// quoted gives what stands in the quotes that s begins with and how long it is with them, or -1 when they do not end. A
// backslash before the quote is left out, all others stay.
func quoted(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] != s[0] {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(s[i])
	}
	return "", -1
}

// unescape carries out the escapes of double quotes. An escaped dollar sign stays one after variables are replaced.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case '$':
			b.WriteString("$$")
		case '"', '\\':
			b.WriteByte(c)
		case 'a', 'b', 'f', 'n', 'r', 't', 'v':
			b.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)])
		case '0':
			n := 0
			for n < 3 && i+1+n < len(s) && s[i+1+n] >= '0' && s[i+1+n] <= '7' {
				n++
			}
			if code, err := strconv.ParseUint(s[i+1:i+1+n], 8, 8); n == 3 && err == nil {
				b.WriteByte(byte(code))
				i += n
				continue
			}
			b.WriteString("\\0")
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}
