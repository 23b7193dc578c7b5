package world

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// steps carries out the declared behaviour and gives the answer: what the tool says it is, or else what the last step
// gave.
func (x *tx) steps() (any, error) {
	var last any
	for _, s := range x.tool.Steps {
		if s.When != nil {
			v, err := x.eval(s.When)
			if err != nil {
				return nil, err
			}
			if !v.Truth() {
				continue
			}
		}
		v, err := x.step(s)
		if err != nil {
			return nil, err
		}
		if s.Op != spec.Require {
			last = v
		}
	}
	switch {
	case x.tool.Answer != nil:
		return x.plain(x.tool.Answer)
	case x.tool.Text != nil:
		text, err := x.tool.Text.Eval(x.thread, x.values...)
		if err != nil {
			return nil, programError(err)
		}
		return text, nil
	}
	return last, nil
}

// step carries out one step, gives what it found or made, and its names their values.
func (x *tx) step(s *spec.Step) (any, error) {
	if s.That != nil {
		v, err := x.eval(s.That)
		if err != nil {
			return nil, err
		}
		if !v.Truth() {
			return nil, x.fail(s.Else, nil)
		}
	}
	switch s.Op {
	case spec.Require:
		return nil, nil
	case spec.Let:
		v, err := x.plain(s.Value)
		return v, x.bind(s, err, v)
	case spec.ListOp:
		return x.list(s)
	case spec.Get, spec.Create, spec.Update, spec.Delete:
	}
	t, err := x.table(s.Entity)
	if err != nil {
		return nil, err
	}
	if s.Op == spec.Create {
		return x.create(t, s)
	}
	r, err := x.wanted(t, s)
	if err != nil || r == nil {
		return nil, x.bind(s, err, nil)
	}
	var result any = r.fields
	switch s.Op {
	case spec.Update:
		return x.change(t, s, r)
	case spec.Delete:
		x.remove(t, r)
	default:
		result = project(r.fields, s.Fields)
	}
	return result, x.bind(s, nil, result)
}

// bind gives the names of a step their values.
func (x *tx) bind(s *spec.Step, err error, values ...any) error {
	if err != nil {
		return err
	}
	for i, slot := range s.Slots {
		if i == len(values) {
			break
		}
		if fields, ok := values[i].(map[string]any); ok {
			x.values[slot] = x.rowValue(s.Entity, fields)
			continue
		}
		x.values[slot] = script.Value(values[i])
	}
	return nil
}

// rowValue gives a row to programs, with the fields that its schema names.
func (x *tx) rowValue(entity string, fields map[string]any) starlark.Value {
	if t, ok := x.s.tables[entity]; ok {
		return script.NewObject(fields, t.entity.Known)
	}
	return script.NewObject(fields, nil)
}

// wanted finds the row that a step is about. Without such a row it fails, or gives nil when the step is content.
func (x *tx) wanted(t *table, s *spec.Step) (*row, error) {
	id, err := x.plain(s.ID)
	if err != nil {
		return nil, err
	}
	if key, ok := spec.Key(id); ok {
		if r, found := t.rows[key]; found {
			return r, nil
		}
	}
	if s.Optional {
		return nil, nil
	}
	if s.Missing != nil {
		return nil, x.fail(s.Missing, id)
	}
	return nil, missing(s.Entity, id)
}

func missing(entity string, id any) *failure {
	text, err := script.Text(script.Value(id))
	if err != nil {
		text = "?"
	}
	return &failure{text: fmt.Sprintf("%s %s not found", entity, text), status: 404, code: "not_found"}
}

// fail makes the declared failure; id is what its text calls id.
func (x *tx) fail(f *spec.Failure, id any) error {
	no := &failure{status: f.Status, code: f.Code, rpc: f.RPC, unflagged: f.Unflagged}
	more := []starlark.Value{script.Value(id)}
	var err error
	if no.text, err = f.Text.Eval(x.thread, x.with(f.Text.Names(), more)...); err != nil {
		return programError(err)
	}
	if f.Body != nil {
		if no.body, err = x.plain(f.Body, more...); err != nil {
			return err
		}
		no.hasBody = true
	}
	return no
}
