package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// fromBody reads a body by its content type; without one it is taken for JSON. With whole, it becomes one argument.
func fromBody(contentType string, body []byte, whole bool) (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) == 0 {
		return args, nil
	}
	media, _, err := mime.ParseMediaType(contentType)
	if contentType != "" && err != nil {
		media = "application/octet-stream"
	}
	text := quoted(strings.ToValidUTF8(string(body), "\uFFFD"))
	asText := map[string]json.RawMessage{bodyArgument: text}
	switch {
	case media == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return asText, errors.New("the body is no form")
		}
		args = fromForm(form)
		if whole {
			return map[string]json.RawMessage{bodyArgument: quoted(args)}, nil
		}
		return args, nil
	case media == "" || media == "application/json" || strings.HasSuffix(media, "+json"):
		if !utf8.Valid(body) || !json.Valid(body) {
			return asText, errors.New("the body is no valid JSON")
		}
		if whole || json.Unmarshal(body, &args) != nil || args == nil {
			args = map[string]json.RawMessage{bodyArgument: slices.Clone(json.RawMessage(bytes.TrimSpace(body)))}
		}
		return args, nil
	case strings.HasPrefix(media, "text/"):
		return asText, nil
	}
	return asText, fmt.Errorf("a body of type %s is not understood", media)
}

// fromForm reads fields; a[b] is a field of a field, as some large public servers have it, and a repeated one is a list.
func fromForm(form url.Values) map[string]json.RawMessage {
	tree := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values := form[name]
		var v any = values[0]
		base, list := strings.CutSuffix(name, "[]")
		if list || len(values) > 1 {
			v = values
		}
		plant(tree, strings.Split(strings.ReplaceAll(base, "]", ""), "["), v)
	}
	args := make(map[string]json.RawMessage, len(tree))
	for k, v := range tree {
		args[k] = quoted(v)
	}
	return args
}

// maxNesting bounds the depth of a form's names.
const maxNesting = 16

func plant(tree map[string]any, path []string, v any) {
	if len(path) > maxNesting {
		path = []string{strings.Join(path, ".")}
	}
	for _, p := range path[:len(path)-1] {
		inner, ok := tree[p].(map[string]any)
		if !ok {
			inner = map[string]any{}
			tree[p] = inner
		}
		tree = inner
	}
	tree[path[len(path)-1]] = v
}
