package stack

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// misshapen reports where tree breaks the compose schema, and says whether it found such a place. The loader checks the
// schema too, but says neither where nor more than the first.
func misshapen(tree map[string]any, r *report) (bool, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema.Schema))
	if err != nil {
		return false, fmt.Errorf("reading the compose schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("compose-spec.json", document); err != nil {
		return false, fmt.Errorf("reading the compose schema: %w", err)
	}
	compiled, err := compiler.Compile("compose-spec.json")
	if err != nil {
		return false, fmt.Errorf("compiling the compose schema: %w", err)
	}
	var broken *jsonschema.ValidationError
	if !errors.As(compiled.Validate(plain(tree)), &broken) {
		return false, nil
	}
	printer := message.NewPrinter(language.English)
	for _, leaf := range leaves(broken, nil) {
		if _, noise := leaf.ErrorKind.(*kind.FalseSchema); noise {
			continue // the form of a value that is another form's concern
		}
		path := slices.Clone(leaf.InstanceLocation)
		for i, part := range path {
			if _, err := strconv.Atoi(part); err == nil && i > 0 {
				path[i] = "[" + part + "]"
			}
		}
		r.invalid(r.at(path...), describe(leaf.ErrorKind, printer))
	}
	return true, nil
}

// leaves gives the deepest broken rule of every place.
func leaves(e *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(found, e)
	}
	switch e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		// One of several forms would do: the form that got furthest is the one that was meant.
		var best *jsonschema.ValidationError
		for _, c := range e.Causes {
			for _, leaf := range leaves(c, nil) {
				if best == nil || len(leaf.InstanceLocation) > len(best.InstanceLocation) {
					best = leaf
				}
			}
		}
		return append(found, best)
	}
	for _, c := range e.Causes {
		found = leaves(c, found)
	}
	return found
}

// describe puts one broken rule into words.
func describe(k jsonschema.ErrorKind, printer *message.Printer) string {
	t, ok := k.(*kind.Type)
	if !ok {
		return k.LocalizedString(printer)
	}
	word := func(w string) string {
		switch w {
		case "object":
			return "a mapping"
		case "array":
			return "a list"
		case "string":
			return "a text"
		case "integer":
			return "a whole number"
		case "null":
			return "nothing"
		}
		return "a " + w
	}
	want := make([]string, len(t.Want))
	for i, w := range t.Want {
		want[i] = word(w)
	}
	return "must be " + strings.Join(want, " or ") + ", not " + word(t.Got)
}

// plain gives tree with the only numbers that the schema's checker knows.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	case int:
		return int64(v)
	}
	return v
}
