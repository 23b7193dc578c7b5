package task

import "strconv"

// reader walks the tree along the schema and gathers what it finds.
type reader struct {
	file     string
	lax      bool
	problems Problems
	warnings []Warning
	places   map[string]Position
	known    *vocabulary // made when it is first asked for

	strangers int // unknown keys so far
}

// table reads the keys of n.
func (r *reader) table(n *node, f fields) {
	if n.kind != isTable {
		want := "a table"
		if n.kind == isArray && !n.closed {
			want += ", written [" + n.schemaPath() + "]"
		}
		r.wrong(n, want)
		return
	}
	r.keys(n, f.keys, func(kid *node) { r.unknown(n, kid) })
	if f.check != nil {
		f.check(r, n)
	}
}

func (r *reader) keys(n *node, keys []key, other func(*node)) {
	for _, kid := range n.kids {
		k, ok := find(keys, kid.name)
		if !ok {
			other(kid)
			continue
		}
		r.places[kid.path()] = kid.key
		k.rule.read(r, kid)
	}
	for _, k := range keys {
		if k.required && n.kid(k.name) == nil {
			r.report(&ConfigError{
				Line: n.at.Line, Column: n.at.Column, Key: join(n.path(), k.name),
				What: "this key is required here",
			})
		}
	}
}

func find(keys []key, name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

func (r *reader) report(e *ConfigError) {
	e.File = r.file
	r.problems = append(r.problems, e)
}

// wrong reports that the value of n is not what is wanted.
func (r *reader) wrong(n *node, want string) { r.fault(n, "", want) }

// fault reports something about the value of n.
func (r *reader) fault(n *node, what, want string) {
	r.report(&ConfigError{
		Line: n.at.Line, Column: n.at.Column, Key: n.path(), Value: n.raw, What: what, Want: want,
	})
}

func (r *reader) warn(code Code, n *node, message string) {
	r.warnings = append(r.warnings, Warning{
		Code: code, Message: message, File: r.file, Line: n.at.Line, Key: n.path(),
	})
}

func (r *reader) coerced(n *node, got string) {
	r.warn(CoercedValue, n, n.raw+" is read as "+got+"; write it so")
}

// is reports whether n is of kind k, and the problem if it is not.
func (r *reader) is(n *node, k kind) bool {
	if n.kind != k {
		r.wrong(n, k.String()+", not "+n.kind.String())
		return false
	}
	return true
}

func (r *reader) unknown(table, kid *node) {
	if r.known == nil {
		r.known = newVocabulary()
	}
	r.strangers++
	const explained = 100 // enough to read; a file with more is no task.toml
	e := &ConfigError{Line: kid.key.Line, Column: kid.key.Column, Key: kid.path(), What: "unknown key"}
	if r.strangers <= explained {
		r.known.explain(e, table.schemaPath(), kid.name)
	}
	if r.lax {
		r.warnings = append(r.warnings, Warning{
			Code: UnknownKey, Message: e.text(), File: r.file, Line: e.Line, Key: e.Key,
		})
		return
	}
	r.report(e)
}

// schemaPath is the path of n without the numbers of array items.
func (n *node) schemaPath() string {
	switch {
	case n.up == nil:
		return ""
	case n.index >= 0:
		return n.up.schemaPath()
	default:
		return join(n.up.schemaPath(), n.name)
	}
}

func quoted(s string) string { return strconv.Quote(clip(s)) }
