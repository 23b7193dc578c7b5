// Package script runs the small programs of fakes: expressions, templates and handlers. They are written in Starlark,
// see no host, are deterministic and bounded in steps.
package script

import (
	"errors"
	"fmt"

	"go.starlark.net/lib/json"
	"go.starlark.net/lib/math"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// MaxSteps is how many steps of Starlark one call may take; a small handler takes some hundreds.
const MaxSteps = 2_000_000

// NewThread gives a thread for the programs of one call. What they print is dropped.
func NewThread() *starlark.Thread {
	t := &starlark.Thread{Name: "fake", Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(MaxSteps)
	return t
}

// predeclared holds what programs find beside Starlark's own functions.
func predeclared() starlark.StringDict {
	return starlark.StringDict{
		"json":   json.Module,
		"math":   math.Module,
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
	}
}

// SourceError is a program that does not compile.
type SourceError struct {
	File string
	Line int
	What string
}

// Error names the place and what is wrong there.
func (e *SourceError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// sourceErrors makes SourceErrors of what the Starlark compiler says. A line of the source is base higher in the file.
func sourceErrors(err error, file string, base int) []*SourceError {
	var list resolve.ErrorList
	var one syntax.Error
	var eval *starlark.EvalError
	switch {
	case errors.As(err, &list):
		out := make([]*SourceError, len(list))
		for i, e := range list {
			out[i] = &SourceError{File: file, Line: base + int(e.Pos.Line), What: e.Msg}
		}
		return out
	case errors.As(err, &one):
		return []*SourceError{{File: file, Line: base + int(one.Pos.Line), What: one.Msg}}
	case errors.As(err, &eval):
		e := &SourceError{File: file, Line: max(base, 1), What: eval.Msg}
		if n := len(eval.CallStack); n > 0 && eval.CallStack[0].Pos.Line > 0 {
			e.Line = base + int(eval.CallStack[0].Pos.Line)
		}
		return []*SourceError{e}
	}
	return []*SourceError{{File: file, Line: max(base, 1), What: err.Error()}}
}
