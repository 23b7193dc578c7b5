package spec

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// finish sorts and fills in what depends on all of the declaration.
func (b *build) finish() {
	s := b.s
	slices.SortFunc(s.Entities, func(a, b *Entity) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	s.Codec.Order = b.order
	for _, t := range s.Tools {
		slices.Sort(t.Writes)
		t.Codec.Order = b.order
		if !t.behaves {
			t.behaves = b.broken
			name := script.HandlerName(t.Name)
			if fn, ok := s.handlers[name]; ok {
				t.Handler = &Handler{Name: name, Fn: fn}
			}
		}
	}
	if s.Speaks(HTTP) {
		b.inlineRoutes()
	} else {
		s.Routes = nil
	}
	slices.SortFunc(s.Routes, func(a, b Route) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
}

// rank gives the names of members their place in answers: the first to be met comes first.
func (b *build) rank(names ...string) {
	for _, name := range names {
		if _, known := b.order[name]; !known {
			b.order[name] = len(b.order)
		}
	}
}

// rankSchema ranks the properties of a schema in the order that it lists them.
func (b *build) rankSchema(n *tree.Node) {
	if n == nil {
		return
	}
	if n.Kind == tree.Table {
		if p := n.Member("properties"); p != nil && p.Kind == tree.Table {
			b.rank(p.Names...)
		}
		for _, name := range n.Names {
			b.rankSchema(n.Member(name))
		}
	}
	for _, item := range n.Items {
		b.rankSchema(item)
	}
}
