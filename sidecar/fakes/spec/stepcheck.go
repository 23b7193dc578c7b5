package spec

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// stepKeys says what each operation can have beside op, as, when, that and else.
func stepKeys(op Op) []string {
	switch op {
	case Get:
		return []string{"entity", "id", "missing", "optional", "fields"}
	case ListOp:
		return []string{"entity", "where", "filter", "sort", "fields", "limit", "offset", "page", "cursor", "default_limit", "max_limit"}
	case Create:
		return []string{"entity", "id", "from", "set", "unique", "conflict"}
	case Update:
		return []string{"entity", "id", "missing", "optional", "from", "set", "add", "unique", "conflict"}
	case Delete:
		return []string{"entity", "id", "missing", "optional"}
	case Let:
		return []string{"value"}
	case Require:
	}
	return nil
}

// checkStep reports what does not belong to the step's operation, and what it lacks.
func (b *build) checkStep(s *Step, n *tree.Node) {
	if n.Kind != tree.Table {
		return
	}
	if s.Op == "" {
		if n.Member("op") == nil {
			b.wrong(placeOf(n), "op is missing: get, list, create, update, delete, require or let")
		}
		return
	}
	allowed := append(stepKeys(s.Op), "op", "as", "when", "that", "else")
	for _, name := range n.Names {
		if !slices.Contains(allowed, name) && slices.Contains(allStepKeys(), name) {
			b.wrong(placeOf(n.Member(name)), "the operation %s has no %s", s.Op, name)
		}
	}
	needed := []string{}
	switch s.Op {
	case Get, Update, Delete:
		needed = []string{"entity", "id"}
	case ListOp, Create:
		needed = []string{"entity"}
	case Require:
		needed = []string{"that", "else"}
	case Let:
		needed = []string{"as", "value"}
	}
	for _, name := range needed {
		if n.Member(name) == nil {
			b.wrong(placeOf(n), "the operation %s needs %s", s.Op, name)
		}
	}
	if s.That != nil && s.Else == nil && s.Op != Require {
		b.wrong(placeOf(n.Member("that")), "that needs else: what the real server says when it is not so")
	}
	b.checkEntity(s, n)
}

func (b *build) checkEntity(s *Step, n *tree.Node) {
	if s.Entity == "" {
		return
	}
	e, ok := b.s.Entity(s.Entity)
	if !ok {
		b.unknown(placeOf(n.Member("entity")), "entity", s.Entity, b.entityNames())
		return
	}
	b.checkFields(e, s.Set, s.Place)
	b.checkFields(e, s.Add, s.Place)
}

func allStepKeys() []string {
	var all []string
	for _, op := range []Op{Get, ListOp, Create, Update, Delete, Let} {
		all = append(all, stepKeys(op)...)
	}
	return all
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
