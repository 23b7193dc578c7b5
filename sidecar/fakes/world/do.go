package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// maxArguments bounds the arguments of a call, in bytes.
const maxArguments = 1 << 20

// Do carries out a call and gives its answer. Everything that the call does happens in whole or, when it fails, not at
// all. The call happens even if the caller has gone: it was attempted.
func (w *World) Do(_ context.Context, c Call) Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status.Frozen {
		return w.refuse(c)
	}
	w.seq++
	line := &evidence.CallLine{
		Seq: w.seq, Step: w.status.Step, Server: c.Server, Protocol: c.Protocol, Tool: c.Tool, Entities: []string{}, Time: stamp(w.clock()),
	}
	a := w.answer(c, line)
	a.Seq, a.Write, a.Nearest = line.Seq, line.Write, line.Nearest
	line.Outcome, line.Status = string(a.Outcome), a.Status
	w.call(line, a)
	return a
}

// answer finds out what a call is about and has it carried out.
func (w *World) answer(c Call, line *evidence.CallLine) Answer {
	args, wrong := arguments(c.Arguments, line)
	s, ok := w.servers[c.Server]
	if !ok {
		line.Nearest = spec.Nearest(c.Server, w.names)
		return unmatched(c)
	}
	tool, ok := s.tools[c.Tool]
	if c.Unmatched || !ok {
		line.Nearest = nearest(s.spec, c)
		return unmatched(c)
	}
	line.Write = tool.Write()
	fault := s.strike(tool.Name, args)
	if fault != nil {
		line.Fault, line.Applied = string(fault.Kind), fault.Applied
		if !fault.Applied {
			return faulty(s, c, fault)
		}
	}
	if wrong == "" {
		wrong = unfit(tool, args)
	}
	var a Answer
	if wrong != "" {
		a = rejected(s, tool, c, wrong)
	} else {
		a = w.carryOut(s, tool, c, withDefaults(tool, args), line)
	}
	if fault != nil {
		return spoilt(a, s, c, fault)
	}
	return a
}

// carryOut runs the behaviour of a tool.
func (w *World) carryOut(s *server, tool *spec.Tool, c Call, args map[string]any, line *evidence.CallLine) Answer {
	x := &tx{w: w, s: s, tool: tool, thread: script.NewThread(), args: script.NewObject(args, tool.Known), touched: map[string]bool{}}
	x.values = make([]starlark.Value, len(tool.Names))
	for i := range x.values {
		x.values[i] = starlark.None
	}
	x.values[0], x.values[1], x.values[2] = x.args, &database{x}, &surroundings{x}
	a, err := x.run(c)
	line.Entities = slices.AppendSeq(line.Entities, maps.Keys(x.touched))
	slices.Sort(line.Entities)
	if err == nil {
		line.Changes = x.changes
		w.send(line, x.sent)
		return a
	}
	x.rollback()
	var no *failure
	if errors.As(err, &no) {
		return x.refusal(c, no)
	}
	w.breach(line, err)
	return internal(c)
}

// run gives the answer, or why there is none. What a program may panic with ends the call alone.
func (x *tx) run(c Call) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = broken(Program, "a program ended in a panic: %v", p)
		}
	}()
	v, err := x.behave()
	if err != nil {
		return Answer{}, err
	}
	if err := x.mapped(); err != nil {
		return Answer{}, err
	}
	return x.success(c, v)
}

// behave gives the value that the tool answers with.
func (x *tx) behave() (any, error) {
	if x.tool.Handler == nil {
		return x.steps()
	}
	v, err := starlark.Call(x.thread, x.tool.Handler.Fn, starlark.Tuple{x.values[0], x.values[1], x.values[2]}, nil)
	if err != nil {
		var eval *starlark.EvalError
		if errors.As(err, &eval) && len(eval.CallStack) > 0 {
			err = fmt.Errorf("%s: %w", eval.CallStack.At(0).Pos, err)
		}
		return nil, programError(err)
	}
	p, err := script.Plain(v)
	if err != nil {
		return nil, &violation{kind: Program, what: "the answer of " + x.tool.Handler.Name, cause: err}
	}
	return p, nil
}

// arguments reads the arguments of a call and notes them. It returns what is wrong with them, if anything.
func arguments(raw []byte, line *evidence.CallLine) (map[string]any, string) {
	if len(raw) == 0 {
		line.Arguments = []byte("{}")
		return map[string]any{}, ""
	}
	if len(raw) > maxArguments {
		line.ArgumentsText = cut(string(raw), 1<<10)
		return nil, fmt.Sprintf("the arguments are larger than %d bytes", maxArguments)
	}
	v, err := format.Parse(raw)
	if err != nil {
		line.ArgumentsText = cut(string(raw), 1<<10)
		return nil, err.Error()
	}
	line.Arguments = format.Canonical(v)
	if v == nil {
		return map[string]any{}, ""
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, "the arguments have to be a JSON object"
	}
	return object, ""
}

// nearest gives the tool or the route that an unmatched call was probably meant for.
func nearest(s *spec.Server, c Call) string {
	var known []string
	if c.Protocol == string(spec.HTTP) {
		for _, r := range s.Routes {
			known = append(known, r.Method+" "+r.Path)
		}
	} else {
		for _, t := range s.Tools {
			known = append(known, t.Name)
		}
	}
	return spec.Nearest(c.Tool, known)
}
