package script

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Handlers are the functions of a handler file by name.
type Handlers map[string]*starlark.Function

// CompileHandlers reads a file of functions. Load, recursion, and loops without a bound are not part of the language.
func CompileHandlers(file, source string) (Handlers, []*SourceError) {
	known := predeclared()
	_, program, err := starlark.SourceProgramOptions(&syntax.FileOptions{}, file, source, known.Has)
	if err != nil {
		return nil, sourceErrors(err, file, 0)
	}
	if program.NumLoads() > 0 {
		_, pos := program.Load(0)
		return nil, []*SourceError{{File: file, Line: int(pos.Line), What: "load is not allowed: a handler file stands alone"}}
	}
	globals, err := program.Init(NewThread(), known)
	if err != nil {
		return nil, sourceErrors(err, file, 0)
	}
	globals.Freeze()
	handlers := Handlers{}
	for name, v := range globals {
		if fn, ok := v.(*starlark.Function); ok {
			handlers[name] = fn
		}
	}
	return handlers, nil
}

// HandlerName gives the name of the function that handles a tool: that of the tool, with "_" for what names of
// functions cannot have.
func HandlerName(tool string) string {
	b := []byte(tool)
	for i, c := range b {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			b[i] = '_'
		}
	}
	return string(b)
}

// IsName reports whether s can be the name of something in a program.
func IsName(s string) bool {
	e, err := (&syntax.FileOptions{}).ParseExpr("", s, 0)
	if err != nil {
		return false
	}
	ident, ok := e.(*syntax.Ident)
	return ok && ident.Name == s
}
