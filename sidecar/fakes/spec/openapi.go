package spec

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/schema"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// openapi makes a tool and a route of each operation of an OpenAPI 3 file, or of those that are listed.
func (b *build) openapi(n *tree.Node, only []string) {
	name, data, ok := b.named(n, maxFile)
	if !ok {
		return
	}
	// Its own reading gives lines and refuses what grows without bound; the library then reads what is left.
	doc := b.parse(name, data)
	if doc == nil {
		return
	}
	place := Place{File: name, Line: 1}
	loader := openapi3.NewLoader()
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, at *url.URL) ([]byte, error) {
		return nil, &schema.ReferenceError{URL: at.String()}
	}
	api, err := loader.LoadFromData(doc.JSON())
	if err != nil {
		b.wrong(place, "not an OpenAPI 3 file: %v", err)
		return
	}
	if err := api.Validate(loader.Context, openapi3.DisableExamplesValidation(), openapi3.DisableSchemaPatternValidation()); err != nil {
		b.wrong(place, "not a valid OpenAPI 3 file: %v", firstLine(err.Error()))
		return
	}
	b.rankSchema(doc)
	o := &operations{build: b, doc: doc, api: api, only: only}
	o.read()
}

type operations struct {
	*build
	doc  *tree.Node
	api  *openapi3.T
	only []string
	seen []string
}

func (o *operations) read() {
	paths := o.api.Paths.Map()
	for _, path := range sorted(paths) {
		item := paths[path]
		ops := item.Operations()
		for _, method := range sorted(ops) {
			op := ops[method]
			name := op.OperationID
			if name == "" {
				name = slug(method, path)
			}
			o.seen = append(o.seen, name)
			if len(o.only) > 0 && !slices.Contains(o.only, name) {
				continue
			}
			if !slices.Contains(methods(), method) {
				o.wrong(o.at(path, method), "the method %s is not served", method)
				continue
			}
			o.operation(name, method, path, item.Parameters, op)
		}
	}
	for _, name := range o.only {
		if !slices.Contains(o.seen, name) {
			o.unknown(Place{File: o.doc.File, Line: 1}, "operation", name, o.seen)
		}
	}
}

// at gives the place of an operation.
func (o *operations) at(path, method string) Place {
	n := o.doc
	for _, name := range []string{"paths", path, strings.ToLower(method)} {
		if kid := n.Member(name); kid != nil {
			n = kid
		}
	}
	return placeOf(n)
}

func (o *operations) operation(name, method, path string, shared openapi3.Parameters, op *openapi3.Operation) {
	t := o.newTool(o.at(path, method))
	t.Name, t.Description, t.inContract = name, op.Description, true
	if t.Description == "" {
		t.Description = op.Summary
	}
	r := Route{Place: t.Place, Method: method, Path: path, Tool: name}
	in := newInput()
	for _, ref := range append(slices.Clone(shared), op.Parameters...) {
		o.parameter(&r, in, ref.Value)
	}
	if op.RequestBody != nil && op.RequestBody.Value != nil {
		o.body(&r, in, op.RequestBody.Value)
	}
	o.schemas(t, in.schema(), o.answer(t, op))
	o.add(t)
	o.route(r)
}

func (o *operations) schemas(t *Tool, in, out map[string]any) {
	var err error
	in = o.withDefs(in)
	if t.InputSchema, err = schema.Compile(in); err != nil {
		o.wrong(t.Place, "the parameters and the body of %s: %v", t.Name, err)
	}
	t.Input, t.Defaults = format.Canonical(in), defaults(in)
	for name := range propertyTypes(in) {
		t.Known[name] = true
	}
	if out == nil {
		return
	}
	out = o.withDefs(out)
	if t.OutputSchema, err = schema.Compile(out); err != nil {
		o.wrong(t.Place, "the answer of %s: %v", t.Name, err)
	}
	t.Output = format.Canonical(out)
}

// answer chooses the successful answer of an operation: its status, and its JSON schema when it has one.
func (o *operations) answer(t *Tool, op *openapi3.Operation) map[string]any {
	if op.Responses == nil {
		return nil
	}
	all := op.Responses.Map()
	for _, status := range sorted(all) {
		if !strings.HasPrefix(status, "2") || all[status].Value == nil {
			continue
		}
		if _, err := fmt.Sscanf(status, "%3d", &t.Status); err != nil {
			t.Status = 200
		}
		if media := jsonMedia(all[status].Value.Content); media != nil && media.Schema != nil {
			return o.convert(media.Schema)
		}
		return nil
	}
	return nil
}

func jsonMedia(content openapi3.Content) *openapi3.MediaType {
	for _, name := range sorted(content) {
		if strings.Contains(strings.ToLower(name), "json") {
			return content[name]
		}
	}
	return nil
}

func slug(method, path string) string {
	words := regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(path, "_")
	return strings.ToLower(method) + "_" + strings.Trim(words, "_")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
