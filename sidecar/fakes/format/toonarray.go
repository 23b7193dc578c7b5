package format

import (
	"fmt"
	"strings"
)

// array reads the elements of an array after its head, with its lines at depth.
func (r *toonReader) array(h head, depth int) (any, error) {
	if depth > 2*MaxDepth {
		return nil, &DepthError{}
	}
	if h.fields != nil {
		if h.rest != "" {
			return nil, r.before("the rows of a table belong below its head")
		}
		return r.table(h, depth)
	}
	if h.rest != "" {
		return r.inline(h)
	}
	list := []any{}
	for range h.length {
		line, ok := r.next(depth, len(list))
		if !ok || line.text != "-" && !strings.HasPrefix(line.text, "- ") {
			return nil, r.count(h, len(list), "items")
		}
		v, err := r.item(strings.TrimLeft(line.text[1:], " "), depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if line, ok := r.peek(depth); ok && (line.text == "-" || strings.HasPrefix(line.text, "- ")) {
		return nil, r.fault(fmt.Sprintf("an array of %d items has more", h.length))
	}
	return list, nil
}

// next is peek within an array, where no blank line may stand.
func (r *toonReader) next(depth, before int) (toonLine, bool) {
	line, ok := r.peek(depth)
	return line, ok && (!line.afterBlank || before == 0)
}

func (r *toonReader) count(h head, got int, things string) error {
	return r.fault(fmt.Sprintf("an array of %d %s has only %d", h.length, things, got))
}

// before is fault for the line that was just read.
func (r *toonReader) before(what string) error {
	r.at--
	return r.fault(what)
}

func (r *toonReader) inline(h head) (any, error) {
	cells := split(h.rest, h.delim)
	if len(cells) != h.length {
		return nil, r.before(fmt.Sprintf("an array of %d values has %d", h.length, len(cells)))
	}
	list := make([]any, len(cells))
	for i, cell := range cells {
		v, what := readScalar(cell)
		if what != "" {
			return nil, r.before(what)
		}
		list[i] = v
	}
	return list, nil
}

func (r *toonReader) table(h head, depth int) (any, error) {
	list := []any{}
	for range h.length {
		line, ok := r.next(depth, len(list))
		if !ok || !isRow(line.text, h.delim) {
			return nil, r.count(h, len(list), "rows")
		}
		cells := split(line.text, h.delim)
		if len(cells) != len(h.fields) {
			return nil, r.fault(fmt.Sprintf("a row of %d values has %d", len(h.fields), len(cells)))
		}
		object := make(map[string]any, len(cells))
		for i, cell := range cells {
			v, what := readScalar(cell)
			if what != "" {
				return nil, r.fault(what)
			}
			object[h.fields[i]] = v
		}
		r.at++
		list = append(list, object)
	}
	if line, ok := r.peek(depth); ok && isRow(line.text, h.delim) {
		return nil, r.fault(fmt.Sprintf("an array of %d rows has more", h.length))
	}
	return list, nil
}

// isRow tells a row from a member: a colon outside of quotes before any delimiter makes a member (section 9.3).
func isRow(s string, delim byte) bool {
	colon := unquotedIndex(s, ':')
	at := unquotedIndex(s, delim)
	return colon < 0 || at >= 0 && at < colon
}

// item reads the element whose text, after the hyphen, is s; depth is that of the hyphen.
func (r *toonReader) item(s string, depth int) (any, error) {
	if s == "" {
		r.at++
		return map[string]any{}, nil
	}
	h, ok := readHead(s)
	switch {
	case !ok:
		return r.scalar(s)
	case h.problem == "" && h.array && !h.hasKey:
		r.at++
		return r.array(h, depth+1)
	}
	object := map[string]any{}
	if err := r.member(object, h, depth+2); err != nil {
		return nil, err
	}
	return r.object(object, depth+1)
}
