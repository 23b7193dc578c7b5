package spec

import (
	"encoding/json"
	"slices"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// contract reads the files of the real server's contract.
func (b *build) contract(n *tree.Node) {
	var tools, openapi *tree.Node
	var operations []string
	b.table(n, fields{"tools": keep(&tools), "openapi": keep(&openapi), "operations": b.texts(&operations)})
	if tools != nil {
		b.toolList(tools)
	}
	if openapi != nil {
		b.openapi(openapi, operations)
	} else if len(operations) > 0 {
		b.wrong(placeOf(n.Member("operations")), "operations choose from an openapi file, and there is none")
	}
}

// toolList reads the answer of a real server to tools/list: an object with the member tools, or that list alone.
// Members that have no meaning here are left out.
func (b *build) toolList(n *tree.Node) {
	doc := b.document(n)
	if doc == nil {
		return
	}
	if doc.Kind == tree.Table {
		if result := doc.Member("result"); result != nil && result.Kind == tree.Table {
			doc = result
		}
		list := doc.Member("tools")
		if list == nil {
			b.wrong(placeOf(doc), "there is no member \"tools\"; the file has to be the result of tools/list")
			return
		}
		doc = list
	}
	b.items(b.listedTool)(doc)
}

func (b *build) listedTool(n *tree.Node) {
	if !b.is(n, tree.Table) {
		return
	}
	t := b.newTool(Place{File: n.File, Line: n.Line})
	for name, read := range (fields{
		"name": b.text(&t.Name), "title": b.text(&t.Title), "description": b.text(&t.Description),
		"annotations": b.raw(&t.Annotations),
	}) {
		when(n.Member(name), read)
	}
	when(n.Member("inputSchema"), b.input(t))
	if out := n.Member("outputSchema"); out != nil && out.Kind != tree.Null {
		b.output(t)(out)
	}
	if t.Name == "" {
		b.wrong(placeOf(n), "a tool has no name")
		return
	}
	t.inContract = true
	b.add(t)
}

func (b *build) newTool(p Place) *Tool {
	return &Tool{
		Place: p, Input: json.RawMessage(`{"type":"object","properties":{}}`), Known: map[string]bool{}, Status: 200, Codec: b.s.Codec,
		Names: base(),
	}
}

// add takes a tool up unless there is one of its name.
func (b *build) add(t *Tool) {
	switch {
	case len(b.s.Tools) >= maxTools:
		b.wrong(t.Place, "there are more than %d tools", maxTools)
	case slices.Contains(b.toolNames(), t.Name):
		b.wrong(t.Place, "there are two tools called %q", t.Name)
	default:
		b.s.Tools = append(b.s.Tools, t)
	}
}

func (b *build) raw(to *json.RawMessage) func(*tree.Node) {
	return func(n *tree.Node) {
		if b.is(n, tree.Table) {
			*to = n.JSON()
		}
	}
}

func (b *build) input(t *Tool) func(*tree.Node) {
	return func(n *tree.Node) {
		doc, compiled := b.schema(n)
		if compiled == nil || !b.is(doc, tree.Table) {
			return
		}
		if kind := doc.Member("type"); kind == nil || kind.Scalar != "object" {
			b.wrong(placeOf(doc), "the input schema of a tool has to be of type \"object\"")
		}
		t.Input, t.InputSchema, t.Known = doc.JSON(), compiled, properties(doc)
		t.Defaults = defaults(doc.Value())
		b.rankSchema(doc)
	}
}

func (b *build) output(t *Tool) func(*tree.Node) {
	return func(n *tree.Node) {
		doc, compiled := b.schema(n)
		if compiled == nil {
			return
		}
		t.Output, t.OutputSchema = doc.JSON(), compiled
		b.rankSchema(doc)
	}
}

// defaults gives the default of each property at the top of a schema that states one.
func defaults(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	list, _ := object["properties"].(map[string]any)
	found := map[string]any{}
	for name, p := range list {
		property, _ := p.(map[string]any)
		if v, ok := property["default"]; ok {
			found[name] = v
		}
	}
	return found
}
