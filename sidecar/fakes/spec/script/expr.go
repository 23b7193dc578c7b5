package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Expr is a compiled expression. It may be used by several goroutines, each with its own thread.
type Expr struct {
	// Source is the expression as written.
	Source string
	File   string
	Line   int
	fn     *starlark.Function
	names  int

	constant starlark.Value // instead of fn
}

// Compile reads an expression that may use names. It returns what is wrong with it, if anything.
func Compile(file string, line int, source string, names []string) (*Expr, []*SourceError) {
	// The line break ends a comment at the end of the source, and the parentheses let it have several lines. Brackets are
	// tried as well, so that "1) + (2" is no expression.
	source = strings.TrimSpace(source)
	if source == "" {
		return nil, []*SourceError{{File: file, Line: line, What: "the expression is empty"}}
	}
	for _, around := range []string{"[]", "()"} {
		if _, err := (&syntax.FileOptions{}).ParseExpr(file, around[:1]+"\n"+source+"\n"+around[1:], 0); err != nil {
			wrong := sourceErrors(err, file, line-2)
			for _, w := range wrong {
				w.Line = min(w.Line, line+strings.Count(source, "\n"))
			}
			return nil, wrong
		}
	}
	text := "lambda " + strings.Join(names, ", ") + ": (\n" + source + "\n)"
	v, err := starlark.EvalOptions(&syntax.FileOptions{}, NewThread(), file, text, predeclared())
	if err != nil {
		return nil, sourceErrors(err, file, line-2)
	}
	v.Freeze()
	fn, ok := v.(*starlark.Function)
	if !ok {
		return nil, []*SourceError{{File: file, Line: line, What: "this is no expression"}}
	}
	return &Expr{Source: source, File: file, Line: line, fn: fn, names: len(names)}, nil
}

// Eval gives the value of the expression for the values of its names, in the order that Compile had them in; further
// values are left out. An error names the place.
func (e *Expr) Eval(t *starlark.Thread, values ...starlark.Value) (starlark.Value, error) {
	if e.constant != nil {
		return e.constant, nil
	}
	v, err := starlark.Call(t, e.fn, starlark.Tuple(values[:e.names]), nil)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %s: %w", e.File, e.Line, e.Source, err)
	}
	return v, nil
}

// Names says for how many names the expression takes values.
func (e *Expr) Names() int { return e.names }

// Template is a text with expressions in braces; "{{" and "}}" stand for single braces.
type Template struct {
	// Source is the template as written.
	Source string
	parts  []part
	names  int
}

// Names says for how many names the template takes values.
func (t *Template) Names() int { return t.names }

// part is a text, or an expression when there is one.
type part struct {
	text string
	expr *Expr
}

// CompileTemplate reads a template whose expressions may use names.
func CompileTemplate(file string, line int, source string, names []string) (*Template, []*SourceError) {
	t := &Template{Source: source, names: len(names)}
	var wrong []*SourceError
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			t.parts = append(t.parts, part{text: text.String()})
			text.Reset()
		}
	}
	for rest := source; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			text.WriteString(rest)
			break
		}
		text.WriteString(rest[:i])
		rest = rest[i:]
		if len(rest) > 1 && rest[0] == rest[1] {
			text.WriteByte(rest[0])
			rest = rest[2:]
			continue
		}
		end := closing(rest)
		if end < 0 {
			what := `a brace has no partner; write "{{" or "}}" for a brace in the text`
			return nil, append(wrong, &SourceError{File: file, Line: line, What: what})
		}
		e, bad := Compile(file, line, rest[1:end], names)
		wrong = append(wrong, bad...)
		flush()
		t.parts = append(t.parts, part{expr: e})
		rest = rest[end+1:]
	}
	flush()
	if len(wrong) > 0 {
		return nil, wrong
	}
	return t, nil
}

// closing gives the brace that closes the one at the start of s, or -1.
func closing(s string) int {
	depth := 0
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
			if depth <= 0 {
				if depth < 0 {
					return -1
				}
				return i
			}
		}
	}
	return -1
}

// Eval fills the template in. Strings stand as they are, None as nothing, other values as JSON would have them.
func (t *Template) Eval(th *starlark.Thread, values ...starlark.Value) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		v, err := p.expr.Eval(th, values...)
		if err != nil {
			return "", err
		}
		text, err := Text(v)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Constant gives an expression that is the value v of package format.
func Constant(file string, line int, v any) *Expr {
	value := Value(v)
	return &Expr{Source: value.String(), File: file, Line: line, constant: value}
}
