package task

import (
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Bounds of a document. Real files hold a few hundred keys, four levels deep; beyond these the checks for duplicates
// would take seconds and paths would be of no use to anyone.
const (
	maxDepth  = 32
	maxValues = 20_000
)

// grower turns the parser's expressions into a tree. It is lenient: of two definitions the first wins, and the second
// is noted in twice.
type grower struct {
	parser  unstable.Parser
	lines   []int // offsets at which lines start
	root    *node
	current *node
	count   int
	twice   []clash
	bound   *clash // the place at which a bound was passed
}

// clash is a definition that collides with an earlier one.
type clash struct {
	node *node
	at   Position
	what string
}

// grow parses data. It returns false when data is not TOML as far as the grammar goes.
func (g *grower) grow(data []byte) bool {
	g.lines = []int{0}
	for i, c := range data {
		if c == '\n' {
			g.lines = append(g.lines, i+1)
		}
	}
	g.root = &node{index: -1, at: Position{1, 1}}
	g.current = g.root
	g.parser.Reset(data)
	for g.bound == nil && g.parser.NextExpression() {
		e := g.parser.Expression()
		switch e.Kind {
		case unstable.Table:
			g.current = g.header(e)
		case unstable.ArrayTable:
			g.current = g.arrayHeader(e)
		case unstable.KeyValue:
			g.pair(g.current, e, 0)
		default:
		}
	}
	return g.parser.Error() == nil
}

func (g *grower) place(offset uint32) Position {
	line, found := slices.BinarySearch(g.lines, int(offset))
	if !found {
		line--
	}
	return Position{Line: line + 1, Column: int(offset) - g.lines[line] + 1}
}

type part struct {
	name string
	at   Position
}

func (g *grower) keyOf(e *unstable.Node) []part {
	var parts []part
	for it := e.Key(); it.Next(); {
		k := it.Node()
		parts = append(parts, part{string(k.Data), g.place(k.Raw.Offset)})
		if len(parts) > maxDepth {
			break
		}
	}
	return parts
}

// step returns the table called p.name in from, made if need be; of an array of tables it is the last one. It returns
// a table that hangs on nothing when the name is taken by a value.
func (g *grower) step(from *node, p part) *node {
	kid := from.kid(p.name)
	switch {
	case kid == nil:
		return from.add(&node{name: p.name, key: p.at, at: p.at})
	case kid.closed || kid.kind != isTable && kid.kind != isArray:
		g.clash(kid, p.at, "is already set to a value")
		return &node{name: p.name, index: -1, up: from, key: p.at, at: p.at}
	case kid.kind == isArray:
		return kid.kids[len(kid.kids)-1]
	default:
		return kid
	}
}

func (g *grower) header(e *unstable.Node) *node {
	n := g.root
	parts := g.keyOf(e)
	if g.over(len(parts), parts) {
		return n
	}
	for i, p := range parts {
		kid := n.kid(p.name)
		last := i == len(parts)-1
		if last && kid != nil && (kid.opened || kid.kind == isArray && !kid.closed) {
			g.clash(kid, p.at, "this table is already defined")
		}
		n = g.step(n, p)
		if last {
			if !n.opened && n.key.Line > 0 {
				n.key, n.at = p.at, p.at
			}
			n.opened = true
		}
	}
	return n
}

func (g *grower) arrayHeader(e *unstable.Node) *node {
	n := g.root
	parts := g.keyOf(e)
	if g.over(len(parts), parts) {
		return n
	}
	for _, p := range parts[:len(parts)-1] {
		n = g.step(n, p)
	}
	p := parts[len(parts)-1]
	kid := n.kid(p.name)
	switch {
	case kid == nil:
		kid = n.add(&node{name: p.name, kind: isArray, key: p.at, at: p.at})
	case kid.kind != isArray || kid.closed:
		g.clash(kid, p.at, "is already something other than an array of tables")
		return &node{name: p.name, index: -1, up: n, key: p.at, at: p.at}
	}
	return kid.add(&node{key: p.at, at: p.at, opened: true})
}

// over counts one more value and reports whether a bound is passed.
func (g *grower) over(depth int, parts []part) bool {
	g.count++
	if g.bound != nil {
		return true
	}
	switch {
	case depth > maxDepth:
		g.bound = &clash{at: parts[0].at, what: fmt.Sprintf("keys are nested more than %d levels deep", maxDepth)}
	case g.count > maxValues:
		g.bound = &clash{at: parts[0].at, what: fmt.Sprintf("the file holds more than %d values", maxValues)}
	default:
		return false
	}
	return true
}

func (g *grower) clash(first *node, at Position, what string) {
	g.twice = append(g.twice, clash{node: first, at: at, what: what})
}
