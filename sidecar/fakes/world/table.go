package world

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// row is never changed: an update puts another in its place.
type row struct {
	key    string
	seq    int64 // its place among the rows
	fields map[string]any
}

// table holds the rows of an entity in the order in which they came.
type table struct {
	entity  *spec.Entity
	rows    map[string]*row
	order   []*row
	seq     int64
	ordinal int64 // ids that were generated
	last    int64 // the largest number that is an id, for counters
}

func newTable(e *spec.Entity, seed []spec.Row) *table {
	t := &table{entity: e, rows: make(map[string]*row, len(seed))}
	for _, r := range seed {
		if key, ok := spec.Key(r.Fields[e.ID]); ok {
			t.insert(key, r.Fields)
		}
	}
	return t
}

func (t *table) insert(key string, fields map[string]any) *row {
	t.seq++
	r := &row{key: key, seq: t.seq, fields: fields}
	t.put(r)
	if n, err := strconv.ParseInt(strings.TrimPrefix(key, t.entity.Prefix), 10, 64); err == nil {
		t.last = max(t.last, n)
	}
	return r
}

// put places r, in the place of the row of its key if there is one.
func (t *table) put(r *row) {
	t.rows[r.key] = r
	at, there := t.find(r.seq)
	if there {
		t.order[at] = r
		return
	}
	t.order = slices.Insert(t.order, at, r)
}

func (t *table) remove(r *row) {
	delete(t.rows, r.key)
	if at, there := t.find(r.seq); there {
		t.order = slices.Delete(t.order, at, at+1)
	}
}

func (t *table) find(seq int64) (int, bool) {
	return slices.BinarySearchFunc(t.order, seq, func(r *row, seq int64) int { return cmp.Compare(r.seq, seq) })
}

// field gives a field by its path with dots. A field whose own name has dots comes first.
func field(fields map[string]any, path string) any {
	if v, ok := fields[path]; ok {
		return v
	}
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return nil
	}
	inner, ok := fields[name].(map[string]any)
	if !ok {
		return nil
	}
	return field(inner, rest)
}

// compare orders values: null, booleans, numbers by value, texts, and the rest as equal.
func compare(a, b any) int {
	switch a := a.(type) {
	case bool:
		if b, ok := b.(bool); ok {
			switch {
			case a == b:
				return 0
			case b:
				return -1
			}
			return 1
		}
	case json.Number:
		if b, ok := b.(json.Number); ok {
			return compareNumbers(a, b)
		}
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b)
		}
	}
	return cmp.Compare(rank(a), rank(b))
}

func compareNumbers(a, b json.Number) int {
	x, errX := strconv.ParseInt(string(a), 10, 64)
	y, errY := strconv.ParseInt(string(b), 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	f, _ := strconv.ParseFloat(string(a), 64)
	g, _ := strconv.ParseFloat(string(b), 64)
	return cmp.Compare(f, g)
}

func rank(v any) int {
	switch v.(type) {
	case nil:
		return 0
	case bool:
		return 1
	case json.Number:
		return 2
	case string:
		return 3
	}
	return 4
}
