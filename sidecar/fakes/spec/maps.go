package spec

import (
	"slices"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

func (b *build) writeMap(name string, n *tree.Node) {
	b.s.writes = append(b.s.writes, declared{Place: placeOf(n), name: name})
	t, ok := b.s.Tool(name)
	if !ok {
		b.unknown(placeOf(n), "tool", name, b.toolNames())
	}
	b.items(func(item *tree.Node) {
		var entity string
		if b.text(&entity)(item); item.Kind != tree.String {
			return
		}
		if _, known := b.s.Entity(entity); !known {
			b.unknown(placeOf(item), "entity", entity, b.entityNames())
		}
		if ok && !slices.Contains(t.Writes, entity) {
			t.Writes = append(t.Writes, entity)
		}
	})(n)
	if n.Kind == tree.List && len(n.Items) == 0 {
		b.wrong(placeOf(n), "a tool that writes nothing belongs in the list reads")
	}
}

func (b *build) read(n *tree.Node) {
	var name string
	if b.text(&name)(n); n.Kind != tree.String {
		return
	}
	b.s.reads = append(b.s.reads, declared{Place: placeOf(n), name: name})
	t, ok := b.s.Tool(name)
	switch {
	case !ok:
		b.unknown(placeOf(n), "tool", name, b.toolNames())
	case len(t.Writes) > 0:
		b.wrong(placeOf(n), "the tool %q is in the write map as well", name)
	default:
		t.Reads = true
	}
}

func (b *build) toolNames() []string {
	names := make([]string, len(b.s.Tools))
	for i, t := range b.s.Tools {
		names[i] = t.Name
	}
	return names
}

func (b *build) entityNames() []string {
	names := make([]string, len(b.s.Entities))
	for i, e := range b.s.Entities {
		names[i] = e.Name
	}
	return names
}
