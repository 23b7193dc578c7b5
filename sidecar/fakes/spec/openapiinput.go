package spec

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// input gathers the arguments of an operation: parameters, and the members of its body.
type input struct {
	properties map[string]any
	required   []any
	open       any // what the body says of further members, if anything
}

func newInput() *input { return &input{properties: map[string]any{}} }

func (in *input) add(name string, schema any, required bool) {
	in.properties[name] = schema
	if required && !slices.Contains(in.required, any(name)) {
		in.required = append(in.required, name)
	}
}

func (in *input) schema() map[string]any {
	s := map[string]any{"type": "object", "properties": in.properties}
	if len(in.required) > 0 {
		s["required"] = in.required
	}
	if in.open != nil {
		s["additionalProperties"] = in.open
	}
	return s
}

// parameter adds an argument for p. Cookies and the headers by which clients show who they are are no arguments.
func (o *operations) parameter(r *Route, in *input, p *openapi3.Parameter) {
	if p == nil || p.In == "cookie" || p.In == "header" && slices.Contains([]string{"authorization", "accept", "content-type"}, strings.ToLower(p.Name)) {
		return
	}
	s := map[string]any{}
	switch {
	case p.Schema != nil:
		s = o.convert(p.Schema)
	case jsonMedia(p.Content) != nil && jsonMedia(p.Content).Schema != nil:
		s = o.convert(jsonMedia(p.Content).Schema)
	}
	if p.Description != "" && s["description"] == nil && s["$ref"] == nil {
		s["description"] = p.Description
	}
	in.add(p.Name, s, p.Required)
	kind := typeOf(o.resolved(s))
	wire := Param{Name: p.Name, Wire: p.Name, In: p.In, Type: kind.kind, Items: kind.items, Explode: p.In == "query"}
	if p.Explode != nil {
		wire.Explode = *p.Explode
	}
	// A parameter of the operation stands in for one of the path.
	r.Params = append(slices.DeleteFunc(r.Params, func(old Param) bool { return old.Name == wire.Name && old.In == wire.In }), wire)
}

// body makes arguments of the members of a JSON object, or one argument "body" of anything else.
func (o *operations) body(r *Route, in *input, body *openapi3.RequestBody) {
	media := jsonMedia(body.Content)
	if media == nil || media.Schema == nil {
		if len(body.Content) > 0 {
			r.Body = BodyWhole
			in.add("body", map[string]any{}, body.Required)
		}
		return
	}
	s := o.convert(media.Schema)
	full, _ := o.resolved(s).(map[string]any)
	members, ok := full["properties"].(map[string]any)
	mixed := full["allOf"] != nil || full["oneOf"] != nil || full["anyOf"] != nil
	for name := range members {
		_, taken := in.properties[name]
		mixed = mixed || taken
	}
	if !ok || mixed {
		r.Body = BodyWhole
		in.add("body", s, body.Required)
		return
	}
	r.Body = BodyMerge
	required, _ := full["required"].([]any)
	for _, name := range sorted(members) {
		in.add(name, members[name], body.Required && slices.Contains(required, any(name)))
	}
	in.open = full["additionalProperties"]
}
