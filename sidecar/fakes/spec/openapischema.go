package spec

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

const (
	componentRef = "#/components/schemas/"
	definition   = "#/$defs/"
)

// convert makes a JSON schema of an OpenAPI one. References stay, and point into $defs; withDefs adds what they name.
func (o *operations) convert(ref *openapi3.SchemaRef) map[string]any {
	data, err := json.Marshal(ref)
	if err != nil {
		return map[string]any{}
	}
	v, err := format.Parse(data)
	if err != nil {
		return map[string]any{}
	}
	object, _ := toJSONSchema(v).(map[string]any)
	if object == nil {
		return map[string]any{}
	}
	return object
}

// toJSONSchema rewrites what OpenAPI 3.0 says otherwise than JSON Schema: references, nullable, and exclusive bounds as
// booleans. Examples and other remarks are left out.
func toJSONSchema(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = toJSONSchema(v[i])
		}
	case map[string]any:
		for _, remark := range []string{"example", "examples", "xml", "externalDocs", "discriminator", "deprecated", "readOnly", "writeOnly"} {
			delete(v, remark)
		}
		for name, item := range v {
			switch name {
			case "enum", "const", "default":
			case "properties", "patternProperties", "$defs", "dependentSchemas":
				// The names below are the author's, not words of the schema.
				named, _ := item.(map[string]any)
				for k := range named {
					named[k] = toJSONSchema(named[k])
				}
			default:
				v[name] = toJSONSchema(item)
			}
		}
		rewrite(v)
	}
	return v
}

func rewrite(v map[string]any) {
	if ref, ok := v["$ref"].(string); ok {
		v["$ref"] = strings.Replace(ref, componentRef, definition, 1)
	}
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if on, ok := v[exclusive].(bool); ok {
			delete(v, exclusive)
			if on {
				v[exclusive] = v[bound]
				delete(v, bound)
			}
		}
	}
	if nullable, ok := v["nullable"].(bool); ok {
		delete(v, "nullable")
		if kind, ok := v["type"].(string); ok && nullable {
			v["type"] = []any{kind, "null"}
			if values, ok := v["enum"].([]any); ok {
				v["enum"] = append(values, nil)
			}
		}
	}
}

// resolved follows a reference to a component at the top of s.
func (o *operations) resolved(s any) any {
	for range 10 {
		object, _ := s.(map[string]any)
		ref, ok := object["$ref"].(string)
		if !ok {
			break
		}
		s = o.component(strings.TrimPrefix(ref, definition))
	}
	return s
}

func (o *operations) component(name string) map[string]any {
	if o.api.Components == nil {
		return map[string]any{}
	}
	ref, ok := o.api.Components.Schemas[name]
	if !ok {
		return map[string]any{}
	}
	return o.convert(ref)
}

// withDefs gives s with all components that it refers to, directly or not.
func (o *operations) withDefs(s map[string]any) map[string]any {
	defs := map[string]any{}
	var gather func(v any)
	gather = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				gather(item)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name := strings.TrimPrefix(ref, definition)
				if _, have := defs[name]; !have && name != ref {
					defs[name] = o.component(name)
					gather(defs[name])
				}
			}
			for _, item := range v {
				gather(item)
			}
		}
	}
	gather(s)
	if len(defs) == 0 {
		return s
	}
	full := maps.Clone(s)
	full["$defs"] = defs
	return full
}
