package world

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// tx is one call at work: what it does happens in whole or not at all.
type tx struct {
	w      *World
	s      *server
	tool   *spec.Tool
	thread *starlark.Thread
	args   *script.Object
	// values belong to the names of the tool: args, db, ctx and what steps have given.
	values  []starlark.Value
	undo    []func()
	touched map[string]bool
	changes []evidence.Touch
	sent    []evidence.OutboundLine
	status  int
	headers map[string]string
}

// rollback undoes everything.
func (x *tx) rollback() {
	for _, undo := range slices.Backward(x.undo) {
		undo()
	}
	x.undo, x.changes, x.sent = nil, nil, nil
}

func (x *tx) table(entity string) (*table, error) {
	t, ok := x.s.tables[entity]
	if !ok {
		known := slices.Sorted(maps.Keys(x.s.tables))
		return nil, &violation{kind: Program, what: (&spec.UnknownError{
			What: "entity", Name: entity, Known: known, Near: spec.Nearest(entity, known),
		}).Error()}
	}
	x.touched[entity] = true
	return t, nil
}

// insert adds a row, with what is missing filled in: defaults and the id. It returns a failure when the id is taken.
func (x *tx) insert(t *table, fields map[string]any) (*row, error) {
	e := t.entity
	fields = maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
	}
	for _, d := range e.Defaults {
		if _, has := fields[d.Name]; has {
			continue
		}
		v, err := x.plain(d.Expr)
		if err != nil {
			return nil, err
		}
		fields[d.Name] = v
	}
	ordinal, last, seq := t.ordinal, t.last, t.seq
	if fields[e.ID] == nil {
		fields[e.ID] = x.newID(t)
	}
	key, ok := spec.Key(fields[e.ID])
	if !ok {
		return nil, broken(BadID, "a new row of %s has no id: %s has to be a text or a whole number", e.Name, e.ID)
	}
	if _, taken := t.rows[key]; taken {
		return nil, &failure{text: fmt.Sprintf("%s %s already exists", e.Name, key), status: 409, code: "already_exists"}
	}
	if err := fits(e, fields); err != nil {
		return nil, err
	}
	r := t.insert(key, fields)
	x.undo = append(x.undo, func() { t.remove(r); t.ordinal, t.last, t.seq = ordinal, last, seq })
	x.changes = append(x.changes, evidence.Touch{Entity: e.Name, ID: key, Op: "create"})
	if e.Outbound {
		x.sent = append(x.sent, evidence.OutboundLine{Server: x.s.spec.Name, Entity: e.Name, ID: key, Fields: fields})
	}
	return r, nil
}

// newID generates an id that no row has.
func (x *tx) newID(t *table) any {
	for {
		t.ordinal++
		id := t.entity.Generate(x.w.seed, x.s.spec.Name, t.ordinal, t.last)
		if t.entity.Style == spec.Counter {
			t.last++
		}
		key, _ := spec.Key(id)
		if _, taken := t.rows[key]; !taken {
			return id
		}
		// Ids of few letters run out; longer ones do not.
		if t.ordinal > int64(10*len(t.rows)+1000) {
			return fmt.Sprintf("%s-%d", key, t.ordinal)
		}
	}
}

// update puts fields over those of the row with this key.
func (x *tx) update(t *table, old *row, fields map[string]any) (*row, error) {
	merged := maps.Clone(old.fields)
	maps.Copy(merged, fields)
	if key, ok := spec.Key(merged[t.entity.ID]); !ok || key != old.key {
		return nil, broken(BadID, "an update would change the id of %s %s", t.entity.Name, old.key)
	}
	if err := fits(t.entity, merged); err != nil {
		return nil, err
	}
	r := &row{key: old.key, seq: old.seq, fields: merged}
	t.put(r)
	x.undo = append(x.undo, func() { t.put(old) })
	x.changes = append(x.changes, evidence.Touch{Entity: t.entity.Name, ID: r.key, Op: "update"})
	return r, nil
}

func (x *tx) remove(t *table, r *row) {
	t.remove(r)
	x.undo = append(x.undo, func() { t.put(r) })
	x.changes = append(x.changes, evidence.Touch{Entity: t.entity.Name, ID: r.key, Op: "delete"})
}

func fits(e *spec.Entity, fields map[string]any) error {
	if reasons := e.Schema.Check(any(fields)); reasons != nil {
		return broken(RowSchema, "a row would not fit the schema of %s: %s", e.Name, strings.Join(reasons, "; "))
	}
	return nil
}

// mapped reports changes of entities that the write map of the tool does not have.
func (x *tx) mapped() error {
	if !x.tool.Declared() {
		return nil
	}
	for _, c := range x.changes {
		if !slices.Contains(x.tool.Writes, c.Entity) {
			return broken(WriteMap, "the tool %s changed %s %s, and the write map does not have %s for it",
				x.tool.Name, c.Entity, c.ID, c.Entity)
		}
	}
	return nil
}

// eval gives the value of an expression over the names that it was compiled with: some of the tool's, then more.
func (x *tx) eval(e *script.Expr, more ...starlark.Value) (starlark.Value, error) {
	v, err := e.Eval(x.thread, x.with(e.Names(), more)...)
	if err != nil {
		return nil, programError(err)
	}
	return v, nil
}

// with gives the values for n names, the last of which are more.
func (x *tx) with(n int, more []starlark.Value) []starlark.Value {
	own := max(0, n-len(more))
	return append(x.values[:own:own], more...)
}

// programError makes a violation of what a program ended with, unless it meant to fail.
func programError(err error) error {
	var meant *failure
	var known *violation
	switch {
	case errors.As(err, &meant):
		return meant
	case errors.As(err, &known):
		return known
	}
	return &violation{kind: Program, what: "a program failed", cause: err}
}

// plain is eval for a value of package format; the nil expression is null.
func (x *tx) plain(e *script.Expr, more ...starlark.Value) (any, error) {
	if e == nil {
		return nil, nil
	}
	v, err := x.eval(e, more...)
	if err != nil {
		return nil, err
	}
	p, err := script.Plain(v)
	if err != nil {
		return nil, &violation{kind: Program, what: fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Source), cause: err}
	}
	return p, nil
}
