package spec

import (
	"path"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// build is a server that is being read.
type build struct {
	*reader
	s     *Server
	order format.Order
	// broken says that the handlers do not compile, so that nothing is said of missing ones.
	broken bool
}

// keep notes a node to be read later.
func keep(to **tree.Node) func(*tree.Node) { return func(n *tree.Node) { *to = n } }

// server reads the server of a folder; nil when there is no declaration that can be read.
func (r *reader) server(folder string) *Server {
	doc := r.declaration(folder)
	if doc == nil {
		return nil
	}
	b := &build{reader: r, order: format.Order{}, s: &Server{
		Place: placeOf(doc), Name: folder, Version: "1.0.0", Protocols: []Protocol{MCP},
		Codec: format.Codec{Format: format.JSON}, scenarios: map[string]*Scenario{},
	}}
	var protocols, answer, errs, entities, contract, handlers, tools, reads, writes, scenarios *tree.Node
	r.table(doc, fields{
		"name": r.text(&b.s.Name), "title": r.text(&b.s.Title), "version": r.text(&b.s.Version),
		"instructions": r.text(&b.s.Instructions), "protocols": keep(&protocols), "answer": keep(&answer),
		"errors": keep(&errs), "entities": keep(&entities), "contract": keep(&contract), "handlers": keep(&handlers),
		"tools": keep(&tools), "reads": keep(&reads), "writes": keep(&writes), "scenarios": keep(&scenarios),
	})
	if b.s.Name != folder || !validName(folder) {
		r.wrong(Place{File: doc.File, Line: 1, Key: "name"},
			"a server has the name of its folder, of small letters, digits, \"-\", \"_\" and \".\"; here they are %q and %q", b.s.Name, folder)
	}
	when(protocols, b.protocols)
	b.errorShape(errs)
	when(answer, b.answer)
	when(entities, r.each(b.entity))
	b.handlers(handlers)
	when(contract, b.contract)
	when(tools, r.each(b.tool))
	when(writes, r.each(b.writeMap))
	when(reads, r.items(b.read))
	when(scenarios, r.each(b.scenario))
	b.scenarioFiles(folder)
	b.finish()
	return b.s
}

func when(n *tree.Node, read func(*tree.Node)) {
	if n != nil {
		read(n)
	}
}

func (b *build) protocols(n *tree.Node) {
	b.s.Protocols = nil
	b.items(func(n *tree.Node) {
		var p Protocol
		oneOf(b.reader, &p, MCP, HTTP)(n)
		b.s.Protocols = append(b.s.Protocols, p)
	})(n)
	if n.Kind == tree.List && len(n.Items) == 0 {
		b.wrong(placeOf(n), "a server speaks mcp, http or both")
	}
}

func (b *build) answer(n *tree.Node) {
	b.table(n, fields{
		"format": oneOf(b.reader, &b.s.Codec.Format, format.Formats()...), "prefix": b.text(&b.s.Codec.Prefix),
		"indent": b.whole(&b.s.Codec.Indent, 0, 8),
	})
	b.checkCodec(placeOf(n), b.s.Codec)
}

func (b *build) checkCodec(p Place, c format.Codec) {
	switch {
	case c.Format == format.PrefixedJSON && c.Prefix == "":
		b.wrong(p, "prefixed_json needs a prefix")
	case c.Format != format.PrefixedJSON && c.Prefix != "":
		b.wrong(p, "a prefix belongs to the format prefixed_json; this is %s", c.Format)
	}
}

// errorShape reads how failures look; each key has a default.
func (b *build) errorShape(n *tree.Node) {
	e := &b.s.Errors
	e.Status = 400
	kind := "tool_error"
	names := []string{"tool", "reason"}
	e.Arguments, _ = script.CompileTemplate("", 0, "Invalid arguments for {tool}: {reason}", names)
	if n == nil {
		return
	}
	b.table(n, fields{
		"arguments":        oneOf(b.reader, &kind, "tool_error", "protocol_error"),
		"arguments_text":   b.template(&e.Arguments, names),
		"arguments_status": b.whole(&e.Status, 400, 599),
		"body":             b.expr(&e.Body, []string{"message", "code", "status"}),
	})
	e.ProtocolError = kind == "protocol_error"
}

func (b *build) handlers(n *tree.Node) {
	name := path.Join(path.Dir(b.s.File), "handlers.star")
	var data []byte
	if n != nil {
		var ok bool
		if name, data, ok = b.named(n, maxDeclaration); !ok {
			return
		}
	} else {
		if _, err := b.root.Lstat(name); err != nil {
			return
		}
		var err error
		if data, err = b.file(name, maxDeclaration); err != nil {
			b.wrong(Place{File: name}, "%v", err)
			return
		}
	}
	handlers, wrong := script.CompileHandlers(name, string(data))
	b.source("", "", wrong)
	b.s.handlers, b.broken = handlers, len(wrong) > 0
}
