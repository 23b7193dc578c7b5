// Package score turns a submission and the expected answers into rewards, by primitives that are exact: numbers are decimals, an absent answer is 0, and a
// fault of the author's is an error and never a score.
package score

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxExponent bounds the decimals that are compared exactly; beyond it a number's digits would fill the memory.
const maxExponent = 4096

// number is the exact value of a JSON number.
func number(v any) (*big.Rat, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, false
	}
	text := n.String()
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// text options.
type texts struct {
	fold bool // capitals do not count
	nfc  bool // composed and decomposed letters are the same
	trim bool // white space at both ends does not count
}

func (t texts) of(s string) string {
	if t.nfc {
		s = norm.NFC.String(s)
	}
	if t.trim {
		s = strings.TrimSpace(s)
	}
	if t.fold {
		s = strings.ToLower(s)
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
		return ok && t.of(x) == t.of(y)
	case json.Number:
		m, okA := number(x)
		n, okB := number(b)
		if !okA || !okB {
			y, ok := b.(json.Number)
			return ok && x == y
		}
		return m.Cmp(n) == 0
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

// identity is a text that two values share if, and only if, they are equal: members of sets are told apart by it.
func (t texts) identity(v any) string {
	var b strings.Builder
	t.write(&b, v)
	return b.String()
}

func (t texts) write(b *strings.Builder, v any) {
	switch x := v.(type) {
	case string:
		b.WriteString(strconv.Quote(t.of(x)))
	case json.Number:
		if n, ok := number(x); ok {
			b.WriteString("n" + n.RatString())
		} else {
			b.WriteString("t" + x.String())
		}
	case []any:
		b.WriteByte('[')
		for _, e := range x {
			t.write(b, e)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b.WriteByte('{')
		for _, k := range keys {
			b.WriteString(strconv.Quote(k) + ":")
			t.write(b, x[k])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v)
	}
}

// kind names a value's type for people.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "nothing"
}

// at finds a value by a path: names with dots between them, numbers being places in lists, or a JSON Pointer (RFC 6901).
func at(v any, path string) (any, bool) {
	var parts []string
	if rest, pointer := strings.CutPrefix(path, "/"); pointer {
		for p := range strings.SplitSeq(rest, "/") {
			parts = append(parts, strings.NewReplacer("~1", "/", "~0", "~").Replace(p))
		}
	} else if path != "" {
		parts = strings.Split(path, ".")
	}
	for _, p := range parts {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[p]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i < 0 || i >= len(x) || strconv.Itoa(i) != p {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}
