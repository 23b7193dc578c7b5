package spec

import (
	"github.com/seatrial/seatrial/sidecar/fakes/format"
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
