package script

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// Value gives a value of package format to programs. Objects can be read as x.field and x["field"], and cannot be
// changed.
func Value(v any) starlark.Value {
	switch v := v.(type) {
	case bool:
		return starlark.Bool(v)
	case string:
		return starlark.String(v)
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			f, _ := strconv.ParseFloat(string(v), 64)
			return starlark.Float(f)
		}
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return starlark.MakeInt64(n)
		}
		if n, ok := new(big.Int).SetString(string(v), 10); ok {
			return starlark.MakeBigInt(n)
		}
		return starlark.None
	case []any:
		list := make([]starlark.Value, len(v))
		for i, item := range v {
			list[i] = Value(item)
		}
		l := starlark.NewList(list)
		l.Freeze()
		return l
	case map[string]any:
		return &Object{fields: v}
	}
	return starlark.None
}

// maxValues bounds what a program may answer.
const maxValues = 1_000_000

// Plain gives a value of a program to package format. The error is a *PlainError.
func Plain(v starlark.Value) (any, error) {
	left := maxValues
	return plain(v, 0, &left)
}

func plain(v starlark.Value, depth int, left *int) (any, error) {
	if *left--; *left < 0 || depth > format.MaxDepth {
		return nil, &PlainError{What: "the value is too large or nested too deeply"}
	}
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return strings.ToValidUTF8(string(v), "\ufffd"), nil
	case starlark.Int:
		return json.Number(v.String()), nil
	case starlark.Float:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, &PlainError{What: "JSON has no number " + v.String()}
		}
		return format.Float(float64(v)), nil
	case *Object:
		return v.fields, nil
	case starlark.IterableMapping:
		return plainObject(v, depth, left)
	case starlark.Sequence:
		list := make([]any, 0, min(v.Len(), *left+1))
		for item := range starlark.Elements(v) {
			p, err := plain(item, depth+1, left)
			if err != nil {
				return nil, err
			}
			list = append(list, p)
		}
		return list, nil
	}
	return nil, &PlainError{What: "a " + v.Type() + " is no JSON value"}
}

func plainObject(v starlark.IterableMapping, depth int, left *int) (any, error) {
	object := map[string]any{}
	for _, item := range v.Items() {
		name, ok := starlark.AsString(item[0])
		if !ok {
			return nil, &PlainError{What: "the names of members have to be strings, not " + item[0].String()}
		}
		p, err := plain(item[1], depth+1, left)
		if err != nil {
			return nil, err
		}
		object[strings.ToValidUTF8(name, "\ufffd")] = p
	}
	return object, nil
}

// PlainError is a value of a program that JSON cannot carry.
type PlainError struct{ What string }

// Error says what JSON cannot carry.
func (e *PlainError) Error() string { return e.What }

// Text gives a value as texts have it: strings as they are, None as nothing, others as JSON.
func Text(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		return string(v), nil
	case starlark.NoneType:
		return "", nil
	}
	p, err := Plain(v)
	if err != nil {
		return "", fmt.Errorf("in a text: %w", err)
	}
	return string(format.Canonical(p)), nil
}
