package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/tree"
)

// reader gathers what the files of one folder say and all that is wrong with them.
type reader struct {
	root     *os.Root
	left     int64 // bytes that may still be read
	problems Problems
}

func placeOf(n *tree.Node) Place { return Place{File: n.File, Line: n.Line, Key: n.Key} }

func (r *reader) wrong(p Place, what string, args ...any) {
	r.problems = append(r.problems, &Problem{File: p.File, Line: p.Line, Key: p.Key, What: fmt.Sprintf(what, args...)})
}

func (r *reader) unknown(p Place, what, name string, known []string) {
	r.problems = append(r.problems, unknownProblem(p, what, name, known))
}

func unknownProblem(p Place, what, name string, known []string) *Problem {
	text := fmt.Sprintf("there is no %s %q", what, name)
	near := Nearest(name, known)
	switch {
	case near != "":
	case len(known) == 0:
		text += "; none is declared"
	case len(known) <= 20:
		text += "; there are " + strings.Join(known, ", ")
	}
	return &Problem{File: p.File, Line: p.Line, Key: p.Key, What: text, Near: near}
}

// fields are the keys that a table may have and what reads each.
type fields map[string]func(*tree.Node)

// table reads the members of n in the order of the file and reports those that f does not know.
func (r *reader) table(n *tree.Node, f fields) {
	if !r.is(n, tree.Table) {
		return
	}
	for _, name := range n.Names {
		kid := n.Member(name)
		if read, ok := f[name]; ok {
			read(kid)
			continue
		}
		known := slices.Sorted(maps.Keys(f))
		p := &Problem{File: kid.File, Line: kid.Line, Key: kid.Key, What: "unknown key", Near: Nearest(name, known)}
		if p.Near == "" {
			p.What += "; the keys here are " + strings.Join(known, ", ")
		}
		r.problems = append(r.problems, p)
	}
}

func (r *reader) is(n *tree.Node, k tree.Kind) bool {
	if n.Kind != k {
		r.wrong(placeOf(n), "has to be %s and is %s", k, n.Kind)
		return false
	}
	return true
}

// each reads the members of a table whose names are the author's.
func (r *reader) each(read func(name string, n *tree.Node)) func(*tree.Node) {
	return func(n *tree.Node) {
		if r.is(n, tree.Table) {
			for _, name := range n.Names {
				read(name, n.Member(name))
			}
		}
	}
}

func (r *reader) items(read func(n *tree.Node)) func(*tree.Node) {
	return func(n *tree.Node) {
		if r.is(n, tree.List) {
			for _, item := range n.Items {
				read(item)
			}
		}
	}
}

func (r *reader) text(to *string) func(*tree.Node) {
	return func(n *tree.Node) {
		if r.is(n, tree.String) {
			*to, _ = n.Scalar.(string)
		}
	}
}

func (r *reader) texts(to *[]string) func(*tree.Node) {
	return r.items(func(n *tree.Node) {
		var s string
		r.text(&s)(n)
		*to = append(*to, s)
	})
}

func (r *reader) flag(to *bool) func(*tree.Node) {
	return func(n *tree.Node) {
		if r.is(n, tree.Bool) {
			*to, _ = n.Scalar.(bool)
		}
	}
}

// whole reads a whole number from low to high.
func (r *reader) whole(to *int, low, high int) func(*tree.Node) {
	return func(n *tree.Node) {
		if !r.is(n, tree.Number) {
			return
		}
		num, _ := n.Scalar.(json.Number)
		i, err := strconv.Atoi(string(num))
		if err != nil || i < low || i > high {
			r.wrong(placeOf(n), "has to be a whole number from %d to %d", low, high)
			return
		}
		*to = i
	}
}

// oneOf reads one of the values that are listed.
func oneOf[T ~string](r *reader, to *T, values ...T) func(*tree.Node) {
	return func(n *tree.Node) {
		var s string
		if r.text(&s)(n); n.Kind != tree.String {
			return
		}
		if !slices.Contains(values, T(s)) {
			known := make([]string, len(values))
			for i, v := range values {
				known[i] = string(v)
			}
			r.problems = append(r.problems, &Problem{
				File: n.File, Line: n.Line, Key: n.Key,
				What: fmt.Sprintf("%q is none of %s", s, strings.Join(known, ", ")), Near: Nearest(s, known),
			})
			return
		}
		*to = T(s)
	}
}

// expr reads an expression; what is no string stands for itself.
func (r *reader) expr(to **script.Expr, names []string) func(*tree.Node) {
	return func(n *tree.Node) {
		if n.Kind != tree.String {
			*to = script.Constant(n.File, n.Line, n.Value())
			return
		}
		s, _ := n.Scalar.(string)
		e, wrong := script.Compile(n.File, n.Line, s, names)
		r.source(n.Key, s, wrong)
		*to = e
	}
}

func (r *reader) template(to **script.Template, names []string) func(*tree.Node) {
	return func(n *tree.Node) {
		var s string
		if r.text(&s)(n); n.Kind != tree.String {
			return
		}
		t, wrong := script.CompileTemplate(n.File, n.Line, s, names)
		r.source(n.Key, "", wrong)
		*to = t
	}
}

// source reports what a compiler says of the program at key.
func (r *reader) source(key, source string, wrong []*script.SourceError) {
	for _, w := range wrong {
		what := w.What
		if strings.HasPrefix(what, "undefined: ") && what == "undefined: "+strings.TrimSpace(source) {
			what += fmt.Sprintf(`; if the text itself is meant, write "'%s'"`, strings.TrimSpace(source))
		}
		r.problems = append(r.problems, &Problem{File: w.File, Line: w.Line, Key: key, What: what})
	}
}

// assignments reads a table of fields and their expressions.
func (r *reader) assignments(to *[]Field, names []string) func(*tree.Node) {
	return r.each(func(name string, n *tree.Node) {
		f := Field{Name: name}
		r.expr(&f.Expr, names)(n)
		*to = append(*to, f)
	})
}
