// Package schema checks values against JSON schemas and says in one line each what does not fit.
package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Schema is a compiled JSON schema. It may be used by several goroutines.
type Schema struct{ compiled *jsonschema.Schema }

// home is the address of a schema that names none of its own; nothing is ever fetched from it.
const home = "https://fakes.invalid/schema.json"

// noFetch refuses references to other documents, so that a schema is what stands in the file.
type noFetch struct{}

// Load refuses.
func (noFetch) Load(url string) (any, error) { return nil, &ReferenceError{URL: url} }

// ReferenceError is a reference to another document.
type ReferenceError struct{ URL string }

// Error names the document.
func (e *ReferenceError) Error() string {
	return fmt.Sprintf("refers to %s; other documents are not read, put it under $defs", e.URL)
}

// InvalidError is a schema that is none.
type InvalidError struct{ Reasons []string }

// Error lists what is wrong.
func (e *InvalidError) Error() string { return "not a JSON schema: " + strings.Join(e.Reasons, "; ") }

// Compile reads a schema, of draft 2020-12 unless it says otherwise. The error is an *InvalidError or a
// *ReferenceError.
func Compile(v any) (*Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(noFetch{})
	if err := c.AddResource(home, v); err != nil {
		return nil, &InvalidError{Reasons: []string{err.Error()}}
	}
	compiled, err := c.Compile(home)
	if err == nil {
		return &Schema{compiled: compiled}, nil
	}
	var load *jsonschema.LoadURLError
	var meta *jsonschema.SchemaValidationError
	var validation *jsonschema.ValidationError
	switch {
	case errors.As(err, &load):
		return nil, &ReferenceError{URL: load.URL}
	case errors.As(err, &meta) && errors.As(meta.Err, &validation):
		return nil, &InvalidError{Reasons: reasons(validation)}
	}
	return nil, &InvalidError{Reasons: []string{strings.ReplaceAll(err.Error(), home, "")}}
}

// Check says what in v does not fit, sorted; nil when all does. The nil Schema takes everything.
func (s *Schema) Check(v any) []string {
	if s == nil {
		return nil
	}
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var validation *jsonschema.ValidationError
	if errors.As(err, &validation) {
		return reasons(validation)
	}
	return []string{err.Error()}
}

// maxReasons is how many reasons are worth reading.
const maxReasons = 20

func reasons(e *jsonschema.ValidationError) []string {
	p := message.NewPrinter(language.English)
	var all []string
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) > 0 {
			for _, cause := range e.Causes {
				walk(cause)
			}
			return
		}
		// Their order is that of a map.
		if k, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
			slices.Sort(k.Properties)
		}
		all = append(all, place(e.InstanceLocation)+e.ErrorKind.LocalizedString(p))
	}
	walk(e)
	slices.Sort(all)
	all = slices.Compact(all)
	if more := len(all) - maxReasons; more > 0 {
		all = append(all[:maxReasons], fmt.Sprintf("and %d more", more))
	}
	return all
}

func place(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return strings.Join(path, ".") + ": "
}
