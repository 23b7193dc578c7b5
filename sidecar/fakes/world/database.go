package world

import (
	"errors"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// database is what programs call db.
type database struct{ x *tx }

func (d *database) String() string        { return "db" }
func (d *database) Type() string          { return "db" }
func (d *database) Freeze()               {}
func (d *database) Truth() starlark.Bool  { return true }
func (d *database) Hash() (uint32, error) { return 0, errors.New("unhashable: db") }

func (d *database) AttrNames() []string {
	return []string{"count", "delete", "exists", "get", "insert", "list", "update"}
}

// Attr gives the functions: get, exists, list, count, insert, update and delete.
func (d *database) Attr(name string) (starlark.Value, error) {
	if !slices.Contains(d.AttrNames(), name) {
		return nil, nil
	}
	return starlark.NewBuiltin("db."+name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 0 {
			return nil, errors.New(b.Name() + ": the entity is missing")
		}
		entity, ok := starlark.AsString(args[0])
		if !ok {
			return nil, errors.New(b.Name() + ": the entity has to be a string")
		}
		t, err := d.x.table(entity)
		if err != nil {
			return nil, err
		}
		switch args = args[1:]; name {
		case "list", "count":
			return d.find(t, name, args, kwargs)
		case "insert":
			return d.insert(t, args, kwargs)
		}
		return d.one(t, name, args, kwargs)
	}), nil
}

// fields gathers what is given as a dict, as keywords, or both.
func fields(args starlark.Tuple, kwargs []starlark.Tuple) (map[string]any, error) {
	out := map[string]any{}
	for _, arg := range args {
		v, err := script.Plain(arg)
		if err != nil {
			return nil, err
		}
		object, ok := v.(map[string]any)
		if !ok {
			return nil, errors.New("fields are a dict, or keywords")
		}
		maps.Copy(out, object)
	}
	for _, kw := range kwargs {
		name, _ := starlark.AsString(kw[0])
		v, err := script.Plain(kw[1])
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

// find is db.list(entity, field=value, ...) and db.count: rows in the order in which they came. Values of None do not
// filter.
func (d *database) find(t *table, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	want, err := fields(args, kwargs)
	if err != nil {
		return nil, err
	}
	var rows []starlark.Value
	for _, r := range t.order {
		if err := spend(d.x.thread); err != nil {
			return nil, err
		}
		if match(r.fields, want) {
			rows = append(rows, script.NewObject(r.fields, t.entity.Known))
		}
	}
	if name == "count" {
		return starlark.MakeInt(len(rows)), nil
	}
	return starlark.NewList(rows), nil
}

func match(have, want map[string]any) bool {
	for k, v := range want {
		if v != nil && !format.Equal(field(have, k), v) {
			return false
		}
	}
	return true
}

func (d *database) insert(t *table, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	given, err := fields(args, kwargs)
	if err != nil {
		return nil, err
	}
	r, err := d.x.insert(t, given)
	if err != nil {
		return nil, err
	}
	return script.NewObject(r.fields, t.entity.Known), nil
}

// one is db.get, db.exists, db.update and db.delete, which take an id. Get gives None without such a row; update and
// delete fail as a server does that has no such thing.
func (d *database) one(t *table, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 || name != "update" && (len(args) > 1 || len(kwargs) > 0) {
		return nil, errors.New("db." + name + ": wants the entity and the id")
	}
	id, err := script.Plain(args[0])
	if err != nil {
		return nil, err
	}
	key, _ := spec.Key(id)
	r, found := t.rows[key]
	switch {
	case name == "exists":
		return starlark.Bool(found), nil
	case !found && name == "get":
		return starlark.None, nil
	case !found:
		return nil, missing(t.entity.Name, id)
	case name == "delete":
		d.x.remove(t, r)
	case name == "update":
		given, err := fields(args[1:], kwargs)
		if err != nil {
			return nil, err
		}
		if r, err = d.x.update(t, r, given); err != nil {
			return nil, err
		}
	}
	return script.NewObject(r.fields, t.entity.Known), nil
}

// spend charges a thread for work that is not its own.
func spend(t *starlark.Thread) error {
	t.Steps++
	if t.Steps > script.MaxSteps {
		return errors.New("too many steps")
	}
	return nil
}
