package format

import (
	"fmt"
	"strings"
)

// encodeTOON writes v with two blanks per level and commas between values.
func encodeTOON(v any, o Order) string {
	w := &toonWriter{order: o}
	switch v := v.(type) {
	case map[string]any:
		w.members(v, 0)
	case []any:
		w.array("", v, 0, 1)
	default:
		w.line(0, toonScalar(v))
	}
	return strings.TrimSuffix(w.out.String(), "\n")
}

type toonWriter struct {
	out   strings.Builder
	order Order
}

func (w *toonWriter) line(depth int, text string) {
	w.out.WriteString(strings.Repeat("  ", depth))
	w.out.WriteString(text)
	w.out.WriteByte('\n')
}

func (w *toonWriter) members(object map[string]any, depth int) {
	for _, k := range w.order.Keys(object) {
		w.member(toonKey(k), object[k], depth, depth+1)
	}
}

// member writes key and value at depth; the lines below the value, if any, at below.
func (w *toonWriter) member(key string, v any, depth, below int) {
	switch v := v.(type) {
	case map[string]any:
		w.line(depth, key+":")
		w.members(v, below)
	case []any:
		w.array(key, v, depth, below)
	default:
		w.line(depth, key+": "+toonScalar(v))
	}
}

func (w *toonWriter) array(key string, list []any, depth, below int) {
	head := fmt.Sprintf("%s[%d]", key, len(list))
	if allScalars(list) {
		w.line(depth, head+":"+inline(list))
		return
	}
	if fields := w.fields(list); fields != nil {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = toonKey(f)
		}
		w.line(depth, head+"{"+strings.Join(names, ",")+"}:")
		for _, item := range list {
			w.line(below, row(item, fields))
		}
		return
	}
	w.line(depth, head+":")
	for _, item := range list {
		w.item(item, below)
	}
}

// item writes one element of an array in list form. The first member of an object stands beside the hyphen, and what
// is below that member is one level deeper than the object's other members (section 10).
func (w *toonWriter) item(v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			w.line(depth, "-")
			return
		}
		for i, k := range w.order.Keys(v) {
			if i == 0 {
				w.member("- "+toonKey(k), v[k], depth, depth+2)
				continue
			}
			w.member(toonKey(k), v[k], depth+1, depth+2)
		}
	case []any:
		if allScalars(v) {
			w.line(depth, fmt.Sprintf("- [%d]:%s", len(v), inline(v)))
			return
		}
		w.line(depth, fmt.Sprintf("- [%d]:", len(v)))
		for _, item := range v {
			w.item(item, depth+1)
		}
	default:
		w.line(depth, "- "+toonScalar(v))
	}
}

// fields gives the columns of a list that can be a table: objects of the same members, all of them scalars.
func (w *toonWriter) fields(list []any) []string {
	first, ok := list[0].(map[string]any)
	if !ok || len(first) == 0 {
		return nil
	}
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok || len(object) != len(first) {
			return nil
		}
		for k, v := range object {
			if _, same := first[k]; !same || !scalar(v) {
				return nil
			}
		}
	}
	return w.order.Keys(first)
}

func row(item any, fields []string) string {
	object, _ := item.(map[string]any)
	cells := make([]string, len(fields))
	for i, f := range fields {
		cells[i] = toonScalar(object[f])
	}
	return strings.Join(cells, ",")
}

func inline(list []any) string {
	if len(list) == 0 {
		return ""
	}
	cells := make([]string, len(list))
	for i, v := range list {
		cells[i] = toonScalar(v)
	}
	return " " + strings.Join(cells, ",")
}

func allScalars(list []any) bool {
	for _, v := range list {
		if !scalar(v) {
			return false
		}
	}
	return true
}

func scalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
