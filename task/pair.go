package task

import "github.com/pelletier/go-toml/v2/unstable"

// pair adds a key and its value to a table that stands depth levels below the root.
func (g *grower) pair(into *node, e *unstable.Node, depth int) {
	parts := g.keyOf(e)
	if g.over(depth+len(parts), parts) {
		return
	}
	for _, p := range parts[:len(parts)-1] {
		into = g.step(into, p)
	}
	p := parts[len(parts)-1]
	if kid := into.kid(p.name); kid != nil {
		g.clash(kid, p.at, "this key is already set")
		return
	}
	g.value(into.add(&node{name: p.name, key: p.at, at: p.at}), e.Value(), depth+len(parts))
}

func (g *grower) value(n *node, v *unstable.Node, depth int) {
	if v.Raw.Length > 0 {
		n.at = g.place(v.Raw.Offset)
		n.raw = clip(string(g.parser.Raw(v.Raw)))
	}
	switch v.Kind {
	case unstable.InlineTable:
		n.kind, n.closed, n.raw = isTable, true, ""
		for it := v.Children(); it.Next(); {
			g.pair(n, it.Node(), depth)
		}
	case unstable.Array:
		n.kind, n.closed = isArray, true
		for it := v.Children(); it.Next(); {
			item := &node{key: n.at, at: n.at}
			n.add(item)
			if g.over(depth+1, []part{{at: n.at}}) {
				return
			}
			g.value(item, it.Node(), depth+1)
			item.key = item.at
		}
	default:
		n.kind = scalar(v.Kind)
		n.text = string(v.Data)
	}
}

func scalar(k unstable.Kind) kind {
	switch k {
	case unstable.String:
		return isString
	case unstable.Integer:
		return isInteger
	case unstable.Float:
		return isFloat
	case unstable.Bool:
		return isBool
	default:
		return isTime
	}
}
