package task

import (
	"strings"
	"unicode"

	"github.com/distribution/reference"
)

// text is any string.
func text() value[string] { return textOf("string", "", nil) }

// filled is a string with something in it.
func filled() value[string] {
	return textOf("string", "a string that is not empty", func(s string) bool { return strings.TrimSpace(s) != "" })
}

// word is a name of letters, digits, "_", "." and "-" that starts with a letter or digit.
func word() value[string] {
	return textOf("name", `a name of letters, digits, "_", "." and "-" that starts with a letter or digit`, isWord)
}

// place is a path; an empty one counts as left out.
func place() value[string] {
	return textOf("path", "a path without control characters", func(s string) bool { return !hasControl(s) })
}

func textOf(kind, want string, ok func(string) bool) value[string] {
	return value[string]{kind, func(r *reader, n *node) (string, bool) {
		if !r.is(n, isString) {
			return "", false
		}
		if strings.ContainsRune(n.text, 0) {
			r.wrong(n, "a string without NUL characters")
			return "", false
		}
		if ok != nil && !ok(n.text) {
			r.wrong(n, want)
			return "", false
		}
		return n.text, true
	}}
}

// oneOf is one of a few words.
func oneOf[T ~string](words ...T) value[T] { return choice(false, words) }

// oneOfAnyCase is one of a few words in any mix of capitals.
func oneOfAnyCase[T ~string](words ...T) value[T] { return choice(true, words) }

func choice[T ~string](anyCase bool, words []T) value[T] {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = `"` + string(w) + `"`
	}
	want := strings.Join(names, " or ")
	return value[T]{want, func(r *reader, n *node) (T, bool) {
		if r.is(n, isString) {
			for _, w := range words {
				if n.text == string(w) || anyCase && strings.EqualFold(n.text, string(w)) {
					return w, true
				}
			}
			r.wrong(n, want)
		}
		return "", false
	}}
}

// flag is a boolean.
func flag() value[bool] {
	return value[bool]{"boolean", func(r *reader, n *node) (bool, bool) {
		return n.text == "true", r.is(n, isBool)
	}}
}

// user is a name or a number, with a group after ":" if wanted.
func user() value[string] {
	const want = `a user name or a user id, such as "agent" or 1000`
	return value[string]{"string or integer", func(r *reader, n *node) (string, bool) {
		if n.kind == isInteger {
			if v, ok := integer(n.text); ok && v >= 0 && v <= 1<<32-2 {
				return n.text, true
			}
		}
		if n.kind == isString && n.text != "" && !hasControl(n.text) && !strings.ContainsRune(n.text, ' ') {
			return n.text, true
		}
		r.wrong(n, want)
		return "", false
	}}
}

// image is a reference of an image; an empty one counts as left out.
func image() value[string] {
	return textOf("string", `an image reference such as "ubuntu:24.04"`, func(s string) bool {
		if s == "" {
			return true
		}
		_, err := reference.ParseAnyReference(s)
		return err == nil
	})
}

// environ is a table of environment variables.
func environ() value[EnvTable] {
	return value[EnvTable]{"table of strings", func(r *reader, n *node) (EnvTable, bool) {
		if !r.is(n, isTable) {
			return nil, false
		}
		got, ok := make(EnvTable, len(n.kids)), true
		for _, kid := range n.kids {
			good := r.variable(kid)
			got[kid.name], ok = kid.text, ok && good
		}
		return got, ok
	}}
}

func (r *reader) variable(n *node) bool {
	switch {
	case n.name == "" || strings.ContainsAny(n.name, "=\x00"):
		r.fault(n, "the name of a variable cannot be empty or hold \"=\" or NUL", "")
	case n.kind != isString:
		r.wrong(n, "a string, not "+n.kind.String()+"; put it in quotes")
	case strings.ContainsRune(n.text, 0):
		r.wrong(n, "a string without NUL characters")
	default:
		return true
	}
	return false
}

func isWord(s string) bool {
	if s == "" || !alphanumeric(s[0]) {
		return false
	}
	for i := range len(s) {
		if !alphanumeric(s[i]) && s[i] != '.' && s[i] != '_' && s[i] != '-' {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
