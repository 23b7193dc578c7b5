package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Order says which members of objects come first: those with the lowest number. Members that it does not name come
// last, by name. The nil Order sorts by name alone.
type Order map[string]int

// Keys gives the names of the members of object in this order.
func (o Order) Keys(object map[string]any) []string {
	keys := slices.Sorted(maps.Keys(object))
	if len(o) == 0 {
		return keys
	}
	rank := func(k string) int {
		if n, ok := o[k]; ok {
			return n
		}
		return len(o)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

// Canonical gives v as JSON on one line, without blanks and with the members of objects sorted by name. Equal values
// give equal bytes.
func Canonical(v any) []byte { return appendJSON(nil, v, nil) }

func appendJSON(b []byte, v any, o Order) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return fmt.Append(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item, o)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, k := range o.Keys(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k), ':')
			b = appendJSON(b, v[k], o)
		}
		return append(b, '}')
	}
	n, err := Normal(v)
	if err != nil {
		return append(b, "null"...)
	}
	return appendJSON(b, n, o)
}

func appendString(b []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return append(append(append(b, '"'), s...), '"')
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
