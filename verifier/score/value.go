package score

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// texts says what does not count when strings are compared, at any depth; the names in objects always count.
type texts struct {
	fold folds // capitals do not count; nil where they do
	nfc  bool  // composed and decomposed letters are the same
	trim bool  // white space at both ends does not count
}

func (t texts) of(s string) string {
	if t.nfc {
		s = norm.NFC.String(s)
	}
	if t.trim {
		s = strings.TrimSpace(s)
	}
	if t.fold != nil {
		s = strings.Map(t.fold.of, s)
	}
	return s
}

// equal compares two JSON values: strictly by type, numbers by value, lists in order, objects without one.
func (t texts) equal(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case string:
		y, ok := b.(string)
		return ok && (x == y || t.of(x) == t.of(y))
	case json.Number:
		y, ok := b.(json.Number)
		return ok && sameNumber(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, t.equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, there := y[k]
			if !there || !t.equal(v, w) {
				return false
			}
		}
		return true
	}
	return false
}

// sameNumber compares by value; beyond all exponents that can be counted, numbers are as written.
func sameNumber(a, b json.Number) bool {
	m, okA := number(a)
	n, okB := number(b)
	return okA == okB && m == n && (okA || a == b)
}

// append appends a text that two values share if, and only if, they are equal: members of sets are told apart by it.
func (t texts) append(b []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		return strconv.AppendBool(b, x)
	case string:
		return text(b, t.of(x))
	case json.Number:
		d, ok := number(x)
		if !ok {
			return append(append(b, '!'), x...)
		}
		b = append(b, '+')
		if d.negative {
			b[len(b)-1] = '-'
		}
		return strconv.AppendInt(append(append(b, d.digits...), 'e'), int64(d.point), 10)
	case []any:
		b = append(b, '[')
		for _, e := range x {
			b = append(t.append(b, e), ',')
		}
		return append(b, ']')
	case map[string]any:
		var few [8]string // most objects are small, and there may be millions
		keys := few[:0]
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b = append(b, '{')
		for _, k := range keys {
			b = append(t.append(append(text(b, k), ':'), x[k]), ',')
		}
		return append(b, '}')
	}
	return append(b, '?')
}

// text appends a string behind its length, so that nothing in it can be taken for what follows it.
func text(b []byte, s string) []byte {
	b = strconv.AppendInt(append(b, '"'), int64(len(s)), 10)
	return append(append(b, ':'), s...)
}

// kind names a value's type for people.
func kind(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		if _, ok := number(x); !ok {
			return "a number beyond all measure"
		}
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "no JSON"
}
