package world

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

func (x *tx) create(t *table, s *spec.Step) (any, error) {
	fields, err := x.fields(s, nil)
	if err != nil {
		return nil, err
	}
	if s.ID != nil {
		if fields[t.entity.ID], err = x.plain(s.ID); err != nil {
			return nil, err
		}
	}
	if err := x.unique(t, s, fields, nil); err != nil {
		return nil, err
	}
	r, err := x.insert(t, fields)
	var no *failure
	if errors.As(err, &no) && no.code == "already_exists" && s.Conflict != nil {
		return nil, x.fail(s.Conflict, fields[t.entity.ID])
	}
	if err != nil {
		return nil, err
	}
	return r.fields, x.bind(s, nil, r.fields)
}

func (x *tx) change(t *table, s *spec.Step, old *row) (any, error) {
	fields, err := x.fields(s, old)
	if err != nil {
		return nil, err
	}
	if err := x.unique(t, s, fields, old); err != nil {
		return nil, err
	}
	r, err := x.update(t, old, fields)
	if err != nil {
		return nil, err
	}
	return r.fields, x.bind(s, nil, r.fields)
}

// fields gives what from, set and add make up; old is the row that is changed, if there is one.
func (x *tx) fields(s *spec.Step, old *row) (map[string]any, error) {
	fields := map[string]any{}
	var more []starlark.Value
	if old != nil {
		more = []starlark.Value{x.rowValue(s.Entity, old.fields)}
	}
	if s.From != nil {
		v, err := x.plain(s.From)
		if err != nil {
			return nil, err
		}
		given, _ := v.(map[string]any)
		for name, value := range given {
			if value != nil {
				fields[name] = value
			}
		}
	}
	for _, f := range s.Set {
		v, err := x.plain(f.Expr, more...)
		if err != nil {
			return nil, err
		}
		fields[f.Name] = v
	}
	for _, f := range s.Add {
		v, err := x.eval(f.Expr, more...)
		if err != nil {
			return nil, err
		}
		if old != nil && old.fields[f.Name] != nil {
			if v, err = starlark.Binary(syntax.PLUS, script.Value(old.fields[f.Name]), v); err != nil {
				return nil, &violation{kind: Program, what: "adding to " + s.Entity + "." + f.Name, cause: err}
			}
		}
		if fields[f.Name], err = script.Plain(v); err != nil {
			return nil, &violation{kind: Program, what: "adding to " + s.Entity + "." + f.Name, cause: err}
		}
	}
	return fields, nil
}

func (x *tx) unique(t *table, s *spec.Step, fields map[string]any, own *row) error {
	for _, name := range s.Unique {
		v, has := fields[name]
		if !has || v == nil {
			continue
		}
		for _, r := range t.order {
			if r == own || !format.Equal(r.fields[name], v) {
				continue
			}
			if s.Conflict != nil {
				return x.fail(s.Conflict, r.fields[t.entity.ID])
			}
			return &failure{text: fmt.Sprintf("%s with this %s already exists", s.Entity, name), status: 409, code: "already_exists"}
		}
	}
	return nil
}

func project(fields map[string]any, names []string) map[string]any {
	if len(names) == 0 {
		return fields
	}
	out := make(map[string]any, len(names))
	for _, name := range names {
		if v, ok := fields[name]; ok {
			out[name] = v
		}
	}
	return out
}
