package spec

import (
	"regexp"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// base are the names that every expression of a behaviour can use.
func base() []string { return []string{"args", "db", "ctx"} }

func (b *build) entity(name string, n *tree.Node) {
	e := &Entity{Place: placeOf(n), Name: name, ID: "id", Style: Alnum, Length: 12}
	var shape, length, defaults *tree.Node
	var pattern string
	b.table(n, fields{
		"id": b.text(&e.ID), "outbound": b.flag(&e.Outbound), "prefix": b.text(&e.Prefix),
		"ids": oneOf(b.reader, &e.Style, Alnum, Hex, Digits, UUID, Counter), "length": keep(&length), "integer": b.flag(&e.Integer),
		"pattern": b.text(&pattern), "schema": keep(&shape), "defaults": keep(&defaults),
	})
	b.s.Entities = append(b.s.Entities, e)
	if !script.IsName(name) {
		b.wrong(placeOf(n), "the name of an entity is of letters, digits and \"_\", and no word of Starlark")
	}
	when(length, b.whole(&e.Length, 1, 64))
	if e.ID == "" {
		b.wrong(placeOf(n), "id has to name the field that tells rows apart")
	}
	if e.Integer && (e.Style != Counter && e.Style != Digits || e.Prefix != "") {
		b.wrong(placeOf(n), "ids that are integers are of the style counter or digits, without a prefix")
	}
	if e.Integer && e.Length > 18 && e.Style == Digits {
		b.wrong(placeOf(n), "ids that are integers have at most 18 digits")
	}
	if pattern != "" {
		var err error
		if e.Pattern, err = regexp.Compile(pattern); err != nil {
			b.wrong(placeOf(n.Member("pattern")), "%v", err)
		}
	}
	b.rank(e.ID)
	if shape != nil {
		var doc *tree.Node
		doc, e.Schema = b.schema(shape)
		e.Known = properties(doc)
		b.rankSchema(doc)
	}
	when(defaults, b.assignments(&e.Defaults, base()))
	b.checkFields(e, e.Defaults, placeOf(n))
}

// checkFields reports fields that the schema of e does not name, when it closes itself to others or not: a misspelt
// field would never be seen otherwise.
func (b *build) checkFields(e *Entity, set []Field, p Place) {
	if len(e.Known) == 0 {
		return
	}
	for _, f := range set {
		if !e.Known[f.Name] && f.Name != e.ID {
			at := p
			if f.Expr != nil {
				at = Place{File: f.Expr.File, Line: f.Expr.Line, Key: tree.Below(p.Key, f.Name)}
			}
			b.unknown(at, "field of "+e.Name, f.Name, sorted(e.Known))
		}
	}
}
