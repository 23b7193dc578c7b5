package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

func parseTOML(file string, data []byte) (*Node, error) {
	if nested(data) > maxDepth {
		return nil, &SyntaxError{File: file, What: "brackets are nested too deeply"}
	}
	var doc map[string]any
	if err := toml.Unmarshal(data, &doc); err != nil {
		e := &SyntaxError{File: file, What: err.Error()}
		var wrong *toml.DecodeError
		if errors.As(err, &wrong) {
			e.Line, _ = wrong.Position()
		}
		return nil, e
	}
	r := &tomlReader{file: file, lines: tomlLines(data)}
	return r.value(doc, "", 1, 0)
}

type tomlReader struct {
	file   string
	lines  map[string]int
	values int
}

func (r *tomlReader) value(v any, path string, line, depth int) (*Node, error) {
	if own, ok := r.lines[path]; ok {
		line = own
	}
	if r.values++; r.values > maxValues || depth > maxDepth {
		return nil, &SyntaxError{File: r.file, Line: line, What: "the file holds too many values, or nests them too deeply"}
	}
	n := &Node{File: r.file, Line: line, Key: path}
	switch v := v.(type) {
	case map[string]any:
		return n, r.table(n, v, depth)
	case []any:
		n.Kind = List
		for i, item := range v {
			kid, err := r.value(item, at(path, i), line, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, kid)
		}
	case string:
		n.Kind, n.Scalar = String, v
	case bool:
		n.Kind, n.Scalar = Bool, v
	case int64:
		n.Kind, n.Scalar = Number, json.Number(fmt.Sprint(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &SyntaxError{File: r.file, Line: line, What: path + ": JSON has no such number"}
		}
		n.Kind, n.Scalar = Number, format.Float(v)
	case time.Time:
		n.Kind, n.Scalar = String, v.Format(time.RFC3339Nano)
	case fmt.Stringer: // a local date or time
		n.Kind, n.Scalar = String, v.String()
	}
	return n, nil
}

// table adds the members in the order of the file.
func (r *tomlReader) table(n *Node, members map[string]any, depth int) error {
	n.Kind = Table
	names := slices.Sorted(maps.Keys(members))
	slices.SortStableFunc(names, func(a, b string) int {
		return r.order(Below(n.Key, a)) - r.order(Below(n.Key, b))
	})
	for _, name := range names {
		kid, err := r.value(members[name], Below(n.Key, name), n.Line, depth+1)
		if err != nil {
			return err
		}
		n.add(name, kid)
	}
	return nil
}

func (r *tomlReader) order(path string) int { return r.lines["#"+path] }

// nested gives how deep brackets and braces are nested outside of strings and comments, or more.
func nested(data []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"', '\'', '#':
			end := c
			if c == '#' {
				end = '\n'
			}
			for i++; i < len(data) && data[i] != end; i++ {
				if c == '"' && data[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}
