package spec

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// inlineRoutes makes routes of the tools that declare one, as "POST /v1/refunds/{id}". What is in the path is a path
// parameter; what else the input schema names comes from the query of GET, HEAD and DELETE, and from the body otherwise.
func (b *build) inlineRoutes() {
	for _, t := range b.s.Tools {
		if t.route == "" {
			continue
		}
		method, path, ok := strings.Cut(t.route, " ")
		path = strings.TrimSpace(path)
		if !ok || !slices.Contains(methods(), method) || !strings.HasPrefix(path, "/") {
			b.wrong(t.Place, "the route %q has to be a method in capitals and a path, such as \"GET /v1/invoices/{id}\"", t.route)
			continue
		}
		r := Route{Place: t.Place, Method: method, Path: path, Tool: t.Name}
		input, _ := format.Parse(t.Input)
		types := propertyTypes(input)
		inPath := templateNames(path)
		for _, name := range inPath {
			if _, known := types[name]; !known {
				b.unknown(t.Place, "argument of "+t.Name, name, sorted(types))
			}
			r.Params = append(r.Params, param(name, "path", types[name]))
		}
		if method == "GET" || method == "HEAD" || method == "DELETE" {
			for _, name := range sorted(types) {
				if !slices.Contains(inPath, name) {
					r.Params = append(r.Params, param(name, "query", types[name]))
				}
			}
		} else {
			r.Body = BodyMerge
		}
		b.route(r)
	}
	b.unrouted()
}

// route takes a route up unless another has the same method and path.
func (b *build) route(r Route) {
	shape := func(r Route) string {
		return r.Method + " " + regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(r.Path, "{}")
	}
	for _, other := range b.s.Routes {
		if shape(other) == shape(r) {
			b.wrong(r.Place, "the route %s %s is that of the tool %q as well", r.Method, r.Path, other.Tool)
			return
		}
	}
	b.s.Routes = append(b.s.Routes, r)
}

// unrouted reports tools that no protocol reaches.
func (b *build) unrouted() {
	if b.s.Speaks(MCP) {
		return
	}
	for _, t := range b.s.Tools {
		if !slices.ContainsFunc(b.s.Routes, func(r Route) bool { return r.Tool == t.Name }) {
			b.wrong(t.Place, "the tool %q has no route, and the server speaks http alone", t.Name)
		}
	}
}

func methods() []string {
	return []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
}

// templateNames gives the names in braces of a path.
func templateNames(path string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`\{([^{}/]+)\}`).FindAllStringSubmatch(path, -1) {
		names = append(names, m[1])
	}
	return names
}

// jsonType is the type of a property, and of its items.
type jsonType struct{ kind, items string }

func param(name, in string, t jsonType) Param {
	return Param{Name: name, Wire: name, In: in, Type: t.kind, Items: t.items, Explode: in == "query"}
}

// propertyTypes gives the types of the properties at the top of a schema, as far as it states one.
func propertyTypes(schema any) map[string]jsonType {
	types := map[string]jsonType{}
	object, _ := schema.(map[string]any)
	list, _ := object["properties"].(map[string]any)
	for name, p := range list {
		types[name] = typeOf(p)
	}
	return types
}

func typeOf(schema any) jsonType {
	p, _ := schema.(map[string]any)
	var t jsonType
	switch kind := p["type"].(type) {
	case string:
		t.kind = kind
	case []any:
		// Of a type and null, the text can only be the former.
		for _, k := range kind {
			if s, _ := k.(string); s != "null" && t.kind == "" {
				t.kind = s
			}
		}
	}
	if t.kind == "array" {
		t.items = typeOf(p["items"]).kind
	}
	return t
}
