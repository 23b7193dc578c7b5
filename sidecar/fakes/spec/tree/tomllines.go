package tree

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlLines gives the line of each key of a valid document by its path and, under "#" and its path, the position of
// the key among all.
func tomlLines(data []byte) map[string]int {
	w := &tomlWalk{data: data, line: 1, lines: map[string]int{}, last: map[string]int{}}
	w.parser.Reset(data)
	table := ""
	for w.parser.NextExpression() {
		e := w.parser.Expression()
		switch e.Kind {
		case unstable.Table:
			table = w.path("", e)
		case unstable.ArrayTable:
			table = w.path("", e)
			n := w.last[table]
			w.last[table] = n + 1
			table = at(table, n)
			w.note(table)
		case unstable.KeyValue:
			w.pair(table, e)
		default:
		}
	}
	return w.lines
}

type tomlWalk struct {
	parser unstable.Parser
	data   []byte
	offset int
	line   int
	lines  map[string]int
	last   map[string]int // elements so far of each array of tables
}

// path notes the keys of e below table and gives the whole path.
func (w *tomlWalk) path(table string, e *unstable.Node) string {
	first := true
	for it := e.Key(); it.Next(); first = false {
		k := it.Node()
		if n := w.last[table]; n > 0 && !first {
			table = at(table, n-1)
		}
		table = Below(table, string(k.Data))
		w.move(int(k.Raw.Offset))
		w.note(table)
	}
	return table
}

func (w *tomlWalk) move(offset int) {
	if offset >= w.offset && offset <= len(w.data) {
		w.line += bytes.Count(w.data[w.offset:offset], []byte("\n"))
		w.offset = offset
	}
}

func (w *tomlWalk) note(path string) {
	if _, known := w.lines[path]; !known {
		w.lines["#"+path] = len(w.lines)
		w.lines[path] = w.line
	}
}

func (w *tomlWalk) pair(table string, e *unstable.Node) {
	w.value(w.path(table, e), e.Value())
}

func (w *tomlWalk) value(path string, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			w.pair(path, it.Node())
		}
	case unstable.Array:
		for i, it := 0, v.Children(); it.Next(); i++ {
			w.value(at(path, i), it.Node())
		}
	default:
	}
}
