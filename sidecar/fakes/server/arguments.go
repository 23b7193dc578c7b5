package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// bodyArgument holds a body that is no object, or that the contract wants whole.
const bodyArgument = "body"

// arguments merges what a request says into one object. The path wins over the query and the query over the body, since
// the path is what was matched. What could be read is returned beside an error.
func arguments(route spec.Route, path map[string]string, r *http.Request, body []byte) (json.RawMessage, error) {
	args, err := map[string]json.RawMessage{}, error(nil)
	if route.Body != spec.BodyNone {
		args, err = fromBody(r.Header.Get("Content-Type"), body, route.Body == spec.BodyWhole)
	}
	query, _ := url.ParseQuery(r.URL.RawQuery) // what has a broken escape is left out, as servers do
	for name, p := range declared(route, "header") {
		if v := r.Header.Values(name); len(v) > 0 {
			args[p.Name] = value(p, v)
		}
	}
	fromQuery(args, declared(route, "query"), query)
	params := declared(route, "path")
	for name, v := range path {
		p, ok := params[name]
		if !ok {
			p.Name = name
		}
		args[p.Name] = value(p, []string{v})
	}
	out, merr := json.Marshal(args)
	if merr != nil {
		return json.RawMessage("{}"), fmt.Errorf("the arguments are no JSON: %w", merr)
	}
	return out, err
}

// declared are the route's parameters of one place by their names on the wire.
func declared(route spec.Route, in string) map[string]spec.Param {
	m := map[string]spec.Param{}
	for _, p := range route.Params {
		if p.In == in {
			m[wireName(p)] = p
		}
	}
	return m
}

func wireName(p spec.Param) string {
	if p.Wire != "" {
		return p.Wire
	}
	return p.Name
}

// fromQuery adds the query's values. A value that no parameter declares is kept as text, so that the journal shows it.
func fromQuery(args map[string]json.RawMessage, params map[string]spec.Param, query url.Values) {
	objects := url.Values{}
	for name, values := range query {
		p, ok := params[strings.TrimSuffix(name, "[]")]
		if base, _, open := strings.Cut(name, "["); !ok && open && params[base].Type == "object" {
			objects[name] = values
			continue
		}
		if !ok {
			p = spec.Param{Name: name}
			if len(values) > 1 {
				p.Type, p.Explode = "array", true
			}
		}
		args[p.Name] = value(p, values)
	}
	for name, v := range fromForm(objects) {
		args[params[name].Name] = v
	}
}
