package server

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// value reads what the wire has as the parameter's type. Text that is not of the type stays text: to refuse it is the
// contract's part. Values has at least one element.
func value(p spec.Param, values []string) json.RawMessage {
	switch p.Type {
	case "array":
		if !p.Explode || (len(values) == 1 && p.In == "header") {
			values = strings.Split(strings.Join(values, ","), ",")
		}
		list := make([]json.RawMessage, 0, len(values))
		for _, v := range values {
			list = append(list, scalar(p.Items, v))
		}
		return quoted(list)
	case "object":
		if text := values[len(values)-1]; strings.HasPrefix(text, "{") && utf8.ValidString(text) && json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	}
	return scalar(p.Type, values[len(values)-1])
}

func scalar(kind, text string) json.RawMessage {
	switch kind {
	case "integer", "number":
		if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case "boolean":
		if text == "true" || text == "false" {
			return json.RawMessage(text)
		}
	}
	return quoted(strings.ToValidUTF8(text, "\uFFFD"))
}

func quoted(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}
