package spec

import (
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// tool reads [tools.<name>]: a tool of its own, or the behaviour of one that the contract lists.
func (b *build) tool(name string, n *tree.Node) {
	t, listed := b.s.Tool(name)
	if !listed {
		t = b.newTool(placeOf(n))
		t.Name = name
		b.add(t)
	}
	t.Place = placeOf(n)
	var handler string
	var steps, answer, text, codec, input, output *tree.Node
	b.table(n, fields{
		"title": b.text(&t.Title), "description": b.text(&t.Description), "annotations": b.raw(&t.Annotations),
		"input": keep(&input), "output": keep(&output), "route": b.text(&t.route), "status": b.whole(&t.Status, 200, 399),
		"format": keep(&codec), "prefix": keep(&codec), "indent": keep(&codec),
		"steps": keep(&steps), "answer": keep(&answer), "text": keep(&text), "handler": b.text(&handler),
	})
	if t.inContract && input != nil {
		b.wrong(placeOf(input), "the contract has the input schema of this tool already")
	} else {
		when(input, b.input(t))
	}
	if t.inContract && t.Output != nil && output != nil {
		b.wrong(placeOf(output), "the contract has the output schema of this tool already")
	} else {
		when(output, b.output(t))
	}
	t.behaves = steps != nil || answer != nil || text != nil || handler != ""
	if codec != nil {
		b.ownCodec(t, n)
	}
	if steps != nil {
		b.items(func(n *tree.Node) { b.step(t, n) })(steps)
	}
	when(answer, b.expr(&t.Answer, t.Names))
	if text != nil {
		// What a template gives is the answer itself.
		b.template(&t.Text, t.Names)(text)
		t.Codec = format.Codec{Format: format.Text}
	}
	if answer != nil && text != nil {
		b.wrong(placeOf(text), "a tool has an answer or a text, not both")
	}
	if handler != "" {
		b.handler(t, n.Member("handler"), handler)
	}
}

func (b *build) ownCodec(t *Tool, n *tree.Node) {
	for name, read := range (fields{
		"format": oneOf(b.reader, &t.Codec.Format, format.Formats()...), "prefix": b.text(&t.Codec.Prefix), "indent": b.whole(&t.Codec.Indent, 0, 8),
	}) {
		when(n.Member(name), read)
	}
	if n.Member("format") != nil && n.Member("prefix") == nil && t.Codec.Format != format.PrefixedJSON {
		t.Codec.Prefix = ""
	}
	b.checkCodec(placeOf(n), t.Codec)
}

func (b *build) handler(t *Tool, n *tree.Node, name string) {
	fn, ok := b.s.handlers[name]
	if b.broken {
		return
	}
	if !ok {
		b.unknown(placeOf(n), "function of the handlers", name, sorted(b.s.handlers))
		return
	}
	if len(t.Steps) > 0 || t.Answer != nil || t.Text != nil {
		b.wrong(placeOf(n), "a tool has a handler, or steps with an answer, not both")
	}
	t.Handler = &Handler{Name: name, Fn: fn}
}

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
		for _, op := range strings.FieldsSeq("eq ne in contains prefix min max above below") {
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
