package spec

import (
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// step reads a step of t. Its expressions can use what the steps before it are called.
func (b *build) step(t *Tool, n *tree.Node) {
	s := &Step{Place: placeOf(n), As: ""}
	var fail, missing, conflict, set, add, unique *tree.Node
	names := t.Names
	b.table(n, fields{
		"op": oneOf(b.reader, &s.Op, Get, ListOp, Create, Update, Delete, Require, Let), "entity": b.text(&s.Entity), "as": b.text(&s.As),
		"when": b.expr(&s.When, names), "that": b.expr(&s.That, names), "else": keep(&fail), "id": b.expr(&s.ID, names),
		"missing": keep(&missing), "optional": b.flag(&s.Optional), "from": b.expr(&s.From, names), "set": keep(&set), "add": keep(&add),
		"unique": keep(&unique), "conflict": keep(&conflict), "value": b.expr(&s.Value, names),
		"where": b.where(&s.List, names), "filter": b.expr(&s.Filter, append(names[:len(names):len(names)], "row")),
		"sort": b.sorting(&s.List), "fields": b.texts(&s.Fields), "limit": b.expr(&s.Limit, names), "offset": b.expr(&s.Offset, names),
		"page": b.expr(&s.Page, names), "cursor": b.expr(&s.Cursor, names),
		"default_limit": b.whole(&s.DefaultLimit, 1, 1_000_000), "max_limit": b.whole(&s.MaxLimit, 1, 1_000_000),
	})
	failing := append(names[:len(names):len(names)], "id")
	when(fail, b.failure(&s.Else, failing))
	when(missing, b.failure(&s.Missing, failing))
	when(conflict, b.failure(&s.Conflict, failing))
	when(unique, b.texts(&s.Unique))
	inner := names
	if s.Op == Update {
		inner = append(names[:len(names):len(names)], "row")
	}
	when(set, b.assignments(&s.Set, inner))
	when(add, b.assignments(&s.Add, inner))
	b.checkStep(s, n)
	b.name(t, s, n)
	t.Steps = append(t.Steps, s)
}

// name gives the result of the step its name among those of the tool.
func (b *build) name(t *Tool, s *Step, n *tree.Node) {
	if s.As == "" {
		switch s.Op {
		case ListOp:
			s.As = "rows"
		case Get, Create, Update, Delete:
			s.As = s.Entity
		case Require, Let:
		}
	}
	if s.As == "" {
		return
	}
	if !script.IsName(s.As) || s.As == "row" || s.As == "id" || s.As == "args" || s.As == "db" || s.As == "ctx" {
		b.wrong(placeOf(n), "%q is no name that a step can have; set another with as", s.As)
		return
	}
	wanted := []string{s.As}
	if s.Op == ListOp {
		// Beside the rows: how many there are on all pages, and where the next page starts.
		wanted = append(wanted, s.As+"_total", s.As+"_next")
	}
	for _, name := range wanted {
		slot := -1
		for j, have := range t.Names {
			if have == name {
				slot = j
			}
		}
		if slot < 0 {
			slot = len(t.Names)
			t.Names = append(t.Names[:slot:slot], name)
		}
		s.Slots = append(s.Slots, slot)
	}
}

func (b *build) failure(to **Failure, names []string) func(*tree.Node) {
	return func(n *tree.Node) {
		f := &Failure{Status: 400}
		if n.Kind == tree.String {
			b.template(&f.Text, names)(n)
			*to = f
			return
		}
		flagged := true
		b.table(n, fields{
			"text": b.template(&f.Text, names), "status": b.whole(&f.Status, 400, 599), "code": b.text(&f.Code),
			"rpc": b.whole(&f.RPC, -99999, -1), "is_error": b.flag(&flagged), "body": b.expr(&f.Body, names),
		})
		f.Unflagged = !flagged
		if n.Kind == tree.Table && n.Member("text") == nil {
			b.wrong(placeOf(n), "text is missing: what the real server says")
		}
		*to = f
	}
}

// where reads filters: a field and its value, or a field and a table of comparisons.
func (b *build) where(l *List, names []string) func(*tree.Node) {
	return b.each(func(field string, n *tree.Node) {
		if n.Kind != tree.Table {
			f := Filter{Field: field, Op: "eq"}
			b.expr(&f.Expr, names)(n)
			l.Where = append(l.Where, f)
			return
		}
		ops := fields{}
		for op := range strings.FieldsSeq("eq ne in contains prefix min max above below") {
			ops[op] = func(n *tree.Node) {
				f := Filter{Field: field, Op: op}
				b.expr(&f.Expr, names)(n)
				l.Where = append(l.Where, f)
			}
		}
		b.table(n, ops)
	})
}

// sorting reads "field" or "-field", or a list of these.
func (b *build) sorting(l *List) func(*tree.Node) {
	one := func(n *tree.Node) {
		var s string
		b.text(&s)(n)
		field, down := strings.CutPrefix(s, "-")
		l.Sort = append(l.Sort, Sorting{Field: field, Descending: down})
	}
	return func(n *tree.Node) {
		if n.Kind == tree.List {
			b.items(one)(n)
			return
		}
		one(n)
	}
}
