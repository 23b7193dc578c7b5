package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// MaxDepth is how deep values may be nested.
const MaxDepth = 100

// Parse reads one JSON value and gives its numbers the spelling of Number. Of two members of one name the last counts.
// The error is a *DecodeError, *NumberError or *DepthError.
func Parse(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, &DecodeError{Format: JSON, What: "this is not JSON", Cause: err}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &DecodeError{Format: JSON, What: "something follows the JSON value"}
	}
	return Normal(v)
}

// Normal gives v with its numbers in the spelling of Number. It takes what encoding/json decodes into, and Go's own
// numbers, and returns a copy; v is left as it is. The error is a *NumberError, *DepthError or *TypeError.
func Normal(v any) (any, error) { return normal(v, 0) }

func normal(v any, depth int) (any, error) {
	if depth > MaxDepth {
		return nil, &DepthError{}
	}
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case json.Number:
		return Number(string(v))
	case int:
		return json.Number(fmt.Sprint(v)), nil
	case int64:
		return json.Number(fmt.Sprint(v)), nil
	case float64:
		return Float(v), nil
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			n, err := normal(item, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = n
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for k, item := range v {
			n, err := normal(item, depth+1)
			if err != nil {
				return nil, err
			}
			object[k] = n
		}
		return object, nil
	}
	return nil, &TypeError{Type: fmt.Sprintf("%T", v)}
}

// Equal reports whether two values of Parse or Normal are the same.
func Equal(a, b any) bool { return reflect.DeepEqual(a, b) }
