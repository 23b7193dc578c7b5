package script

import (
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// Object is a JSON object within a program: a row, or the arguments of a call. A field is x.name or x["name"];
// x.get("name", default), x.keys(), x.values() and x.items() are as in a dict, unless fields have these names.
type Object struct {
	fields map[string]any
	known  map[string]bool
}

// NewObject gives an object some fields of which may be absent: those are None, while a field that is neither there nor
// known is an error.
func NewObject(fields map[string]any, known map[string]bool) *Object {
	return &Object{fields: fields, known: known}
}

// Fields gives the object as a value of package format.
func (o *Object) Fields() map[string]any { return o.fields }

// String gives the object as JSON.
func (o *Object) String() string { return string(format.Canonical(o.fields)) }

// Type gives the name of the type.
func (o *Object) Type() string { return "object" }

// Freeze does nothing: objects never change.
func (o *Object) Freeze() {}

// Truth says whether the object has fields.
func (o *Object) Truth() starlark.Bool { return len(o.fields) > 0 }

// Hash refuses: objects are no keys.
func (o *Object) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: object") }

// Attr gives a field or a method.
func (o *Object) Attr(name string) (starlark.Value, error) {
	if v, ok := o.fields[name]; ok {
		return Value(v), nil
	}
	if o.known[name] {
		return starlark.None, nil
	}
	switch name {
	case "get", "keys", "values", "items":
		return starlark.NewBuiltin(name, o.method), nil
	}
	return nil, nil
}

// AttrNames lists the fields and methods.
func (o *Object) AttrNames() []string {
	names := maps.Clone(o.known)
	if names == nil {
		names = map[string]bool{}
	}
	for name := range o.fields {
		names[name] = true
	}
	for _, name := range []string{"get", "items", "keys", "values"} {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Get gives x[key].
func (o *Object) Get(key starlark.Value) (starlark.Value, bool, error) {
	name, ok := starlark.AsString(key)
	if !ok {
		return nil, false, fmt.Errorf("the names of fields are strings, not %s", key.Type())
	}
	v, ok := o.fields[name]
	return Value(v), ok, nil
}

// Len counts the fields.
func (o *Object) Len() int { return len(o.fields) }

// Items gives names and values, by name.
func (o *Object) Items() []starlark.Tuple {
	items := make([]starlark.Tuple, 0, len(o.fields))
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		items = append(items, starlark.Tuple{starlark.String(name), Value(o.fields[name])})
	}
	return items
}

// Iterate goes over the names, sorted.
func (o *Object) Iterate() starlark.Iterator { return o.list(0).Iterate() }

// CompareSameType makes objects with equal fields equal.
func (o *Object) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	other, ok := y.(*Object)
	if !ok {
		return false, fmt.Errorf("an object and a %s do not compare", y.Type())
	}
	equal := format.Equal(o.fields, other.fields)
	switch op {
	case syntax.EQL:
		return equal, nil
	case syntax.NEQ:
		return !equal, nil
	default:
	}
	return false, fmt.Errorf("objects have no order")
}

// list gives the names (0), the values (1) or both (2).
func (o *Object) list(what int) *starlark.List {
	out := make([]starlark.Value, 0, len(o.fields))
	for _, item := range o.Items() {
		switch what {
		case 0, 1:
			out = append(out, item[what])
		default:
			out = append(out, item)
		}
	}
	return starlark.NewList(out)
}

func (o *Object) method(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if b.Name() == "get" {
		var name string
		var other starlark.Value = starlark.None
		if err := starlark.UnpackPositionalArgs("get", args, kwargs, 1, &name, &other); err != nil {
			return nil, err //nolint:wrapcheck // the message is for the author of the program
		}
		if v, ok := o.fields[name]; ok {
			return Value(v), nil
		}
		return other, nil
	}
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 0); err != nil {
		return nil, err //nolint:wrapcheck // the message is for the author of the program
	}
	return o.list(map[string]int{"keys": 0, "values": 1, "items": 2}[b.Name()]), nil
}
