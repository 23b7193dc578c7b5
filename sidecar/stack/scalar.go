package stack

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalar reads one plain value and replaces the variables in texts.
func (t *reader) scalar(n *yaml.Node, path []string) (any, bool) {
	at := t.report.at(path...)
	at.Line, at.Column = n.Line, n.Column
	var v any
	switch n.ShortTag() {
	case "!!str":
		text, hidden, ok := t.expand(n.Value, at)
		if hidden {
			t.hide(path, text)
		}
		return text, ok
	case "!!timestamp":
		return n.Value, true
	case "!!binary":
		t.report.unsupported(at, "binary values")
		return nil, false
	}
	if err := n.Decode(&v); err != nil {
		t.report.fail(at, &InvalidError{Place: at, Reason: "cannot be read", Cause: err})
		return nil, false
	}
	if f, ok := v.(float64); ok {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			t.report.invalid(at, "is not a finite number")
			return nil, false
		}
		// Compose passes the number on and not its spelling.
		if text := strconv.FormatFloat(f, 'g', -1, 64); isValue(path) && text != n.Value {
			t.report.warn(at, n.Value+" is read as the number "+text+"; put it in quotes to keep its spelling")
		}
	}
	return v, true
}

// expand replaces the variables in text and reports those that are missing.
func (t *reader) expand(text string, at Place) (value string, hidden, ok bool) {
	e := expander{look: t.vars.look, room: &t.vars.room}
	value, err := e.expand(text)
	if err != nil {
		t.report.fail(at, &InvalidError{Place: at, Reason: "cannot replace variables", Cause: err})
		return "", false, false
	}
	for _, m := range e.missing {
		t.report.fail(at, &VariableError{Place: at, Name: m.name, Reason: m.reason, OnHost: t.vars.onHost(m.name)})
		t.failed = true
	}
	for _, name := range e.defaulted {
		if t.vars.onHost(name) {
			t.report.warn(at, "the default of "+name+" is used: the host has this variable, but the task does not declare it")
		}
	}
	return value, e.secret, true
}

// hide remembers that the text at path is not to be shown. Items of a NAME=value list go by their name.
func (t *reader) hide(path []string, text string) {
	n := len(path)
	if n == 4 && path[2] == "environment" && strings.HasPrefix(path[3], "[") {
		name, _, _ := strings.Cut(text, "=")
		path = []string{path[0], path[1], path[2], name}
	}
	t.hidden[joined(path)] = true
}

// isValue says whether path is a free value that reaches a container as text.
func isValue(path []string) bool {
	n := len(path)
	return n > 1 && path[0] == "services" && (path[n-2] == "environment" || path[n-2] == "args" || path[n-2] == "labels")
}
