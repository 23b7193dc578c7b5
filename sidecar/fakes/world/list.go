package world

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// list gives the rows that a step asks for, one page of them if it says so.
func (x *tx) list(s *spec.Step) (any, error) {
	t, err := x.table(s.Entity)
	if err != nil {
		return nil, err
	}
	rows, err := x.chosen(t, s)
	if err != nil {
		return nil, err
	}
	if len(s.Sort) > 0 {
		slices.SortStableFunc(rows, func(a, b *row) int {
			for _, by := range s.Sort {
				n := compare(field(a.fields, by.Field), field(b.fields, by.Field))
				if by.Descending {
					n = -n
				}
				if n != 0 {
					return n
				}
			}
			return 0
		})
	}
	total := len(rows)
	rows, next, err := x.page(s, rows)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = project(r.fields, s.Fields)
	}
	return list, x.bind(s, nil, list, json.Number(strconv.Itoa(total)), next)
}

func (x *tx) chosen(t *table, s *spec.Step) ([]*row, error) {
	tests := make([]func(map[string]any) bool, 0, len(s.Where))
	for _, f := range s.Where {
		v, err := x.plain(f.Expr)
		if err != nil {
			return nil, err
		}
		if v != nil {
			tests = append(tests, test(f.Field, f.Op, v))
		}
	}
	var rows []*row
next:
	for _, r := range t.order {
		for _, ok := range tests {
			if !ok(r.fields) {
				continue next
			}
		}
		if s.Filter != nil {
			v, err := x.eval(s.Filter, x.rowValue(s.Entity, r.fields))
			if err != nil {
				return nil, err
			}
			if !v.Truth() {
				continue
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// test gives the comparison op of a field with v.
func test(name, op string, v any) func(map[string]any) bool {
	return func(fields map[string]any) bool {
		have := field(fields, name)
		switch op {
		case "ne":
			return !format.Equal(have, v)
		case "in":
			list, _ := v.([]any)
			return slices.ContainsFunc(list, func(item any) bool { return format.Equal(have, item) })
		case "contains":
			return contains(have, v)
		case "prefix":
			h, ok := have.(string)
			w, also := v.(string)
			return ok && also && strings.HasPrefix(h, w)
		case "min":
			return have != nil && compare(have, v) >= 0
		case "max":
			return have != nil && compare(have, v) <= 0
		case "above":
			return have != nil && compare(have, v) > 0
		case "below":
			return have != nil && compare(have, v) < 0
		}
		return format.Equal(have, v)
	}
}

// contains looks for v in a list, or in a text without regard to case.
func contains(have, v any) bool {
	switch have := have.(type) {
	case string:
		w, ok := v.(string)
		return ok && strings.Contains(strings.ToLower(have), strings.ToLower(w))
	case []any:
		return slices.ContainsFunc(have, func(item any) bool { return format.Equal(item, v) })
	}
	return false
}

// page cuts the wanted page out of rows and gives the cursor of the next one, or nil.
func (x *tx) page(s *spec.Step, rows []*row) ([]*row, any, error) {
	limit, limited, err := x.number(s.Limit)
	if err != nil {
		return nil, nil, err
	}
	if !limited {
		limit = len(rows)
		if s.DefaultLimit > 0 {
			limit = s.DefaultLimit
		}
	}
	limit = max(0, limit)
	if s.MaxLimit > 0 {
		limit = min(limit, s.MaxLimit)
	}
	offset, _, err := x.number(s.Offset)
	if err != nil {
		return nil, nil, err
	}
	page, paged, err := x.number(s.Page)
	if err != nil {
		return nil, nil, err
	}
	if paged && page > 1 && limit > 0 {
		// Beyond the last row every page is empty, and no product overflows.
		offset = min(page-1, len(rows)/limit+1) * limit
	}
	if s.Cursor != nil {
		v, err := x.plain(s.Cursor)
		if err != nil {
			return nil, nil, err
		}
		if v != nil {
			if offset, err = readCursor(v); err != nil {
				return nil, nil, err
			}
		}
	}
	offset = min(max(0, offset), len(rows))
	end := min(len(rows), offset+min(limit, len(rows)))
	var next any
	if end < len(rows) {
		next = cursor(end)
	}
	return rows[offset:end], next, nil
}

// number gives a whole number, and false when the *script.Expr has no value.
func (x *tx) number(e *script.Expr) (int, bool, error) {
	v, err := x.plain(e)
	if err != nil || v == nil {
		return 0, false, err
	}
	num, _ := v.(json.Number)
	n, err := strconv.Atoi(string(num))
	if err != nil {
		return 0, false, &failure{text: "not a whole number: " + string(format.Canonical(v)), status: 400, code: "invalid_argument"}
	}
	return n, true, nil
}

const cursorPrefix = "after:"

func cursor(offset int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + strconv.Itoa(offset)))
}

func readCursor(v any) (int, error) {
	s, _ := v.(string)
	data, err := base64.RawURLEncoding.DecodeString(s)
	rest, ok := strings.CutPrefix(string(data), cursorPrefix)
	n, nan := strconv.Atoi(rest)
	if err != nil || !ok || nan != nil {
		return 0, &failure{text: "Invalid cursor", status: 400, code: "invalid_cursor"}
	}
	return n, nil
}
