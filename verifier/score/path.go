package score

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// path leads to a value: names in objects, and places in lists.
type path struct {
	text  string
	parts []string
}

// parsePath reads names with dots between them, or a JSON Pointer (RFC 6901), which begins with a slash.
func parsePath(text string) (path, error) {
	p := path{text: text}
	rest, pointer := strings.CutPrefix(text, "/")
	if !pointer {
		p.parts = strings.Split(text, ".")
		if slices.Contains(p.parts, "") {
			return p, errors.New("must name a value, as in \"answers.count\" or \"/answers/count\"; an empty name needs the second form")
		}
		return p, nil
	}
	for part := range strings.SplitSeq(rest, "/") {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(part), "~") {
			return p, errors.New("must have a 0 or a 1 after each ~ of a JSON Pointer: ~0 is ~, and ~1 is /")
		}
		p.parts = append(p.parts, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	return p, nil
}

// in finds the value in another one.
func (p path) in(v any) (any, bool) {
	for _, part := range p.parts {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			// A place has one spelling: neither 01 nor +1 nor -0 is one.
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(x) || strconv.Itoa(i) != part {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}
