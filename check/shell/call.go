package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks through a simple command.
func (w *walker) call(s *syntax.Stmt, c *syntax.CallExpr, st state, p place) state {
	w.inside(c, st, p, len(c.Args) == 0)
	if len(c.Args) == 0 {
		if rs := w.redirects(s); len(rs) > 0 {
			step := w.record(s, nil, st, p)
			step.Redirects = rs
			st.marked = st.marked || w.marked(step)
		}
		return st
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = w.script.word(a)
	}
	if body, ok := w.script.funcs[args[0]]; ok && p.calls < maxCalls {
		return w.function(body, st, p)
	}
	step := w.record(s, args, st, p)
	step.Redirects = w.redirects(s)
	if w.marked(step) && !p.background {
		st.marked = true
	}
	switch args[0] {
	case "set":
		set(&st, args[1:])
	case "trap":
		w.trap(&st, args[1:])
	case "exit", "return", "break", "continue":
		st.dead = !p.background
	case "exec":
		st.dead = len(args) > 1
	}
	return st
}

// function walks through a function's body at a call.
func (w *walker) function(body *syntax.Stmt, st state, p place) state {
	p.function = true
	p.calls++
	n := len(w.steps)
	_, after := w.stmt(body, st, p)
	if after.dead { // by return, or else by exit
		after.dead = len(w.steps) > n && len(w.steps[len(w.steps)-1].Args) > 0 && w.steps[len(w.steps)-1].Args[0] == "exit" && !w.steps[len(w.steps)-1].Conditional
	}
	return after
}

// inside walks through the command substitutions in a command. status says that the last one's exit code is the command's.
func (w *walker) inside(n syntax.Node, st state, p place, status bool) {
	var found []*syntax.CmdSubst
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			found = append(found, n)
			return false
		case *syntax.ProcSubst:
			w.stmts(n.Stmts, st, place{conditional: p.conditional, function: p.function, calls: p.calls, tolerated: true, background: true})
			return false
		}
		return true
	})
	p.from = nil
	for i, sub := range found {
		q := p
		q.tolerated = p.tolerated || !status || i < len(found)-1
		inner := st
		inner.errexit = st.errexit && !q.tolerated
		for j, s := range sub.Stmts {
			r := q
			r.tolerated = q.tolerated || j < len(sub.Stmts)-1
			_, inner = w.stmt(s, inner, r)
		}
	}
}

// set carries out set -e and the like.
func set(st *state, args []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' && a[0] != '+' || a == "--" {
			return
		}
		on := a[0] == '-'
		if strings.Contains(a[1:], "e") {
			st.errexit = on
		}
		if strings.HasSuffix(a, "o") && i+1 < len(args) {
			i++
			switch args[i] {
			case "errexit":
				st.errexit = on
			case "pipefail":
				st.pipefail = on
			}
		}
	}
}

// trap notes a handler for the end of the script.
func (w *walker) trap(st *state, args []string) {
	for len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) < 2 || w.marks.Handler == nil {
		return
	}
	for _, signal := range args[1:] {
		switch strings.TrimPrefix(strings.ToUpper(signal), "SIG") {
		case "EXIT", "0", "ERR":
			body := ""
			if name, _, _ := strings.Cut(args[0], " "); name != "" {
				if f := w.script.funcs[strings.TrimSuffix(name, ";")]; f != nil {
					body = w.text(f)
				}
			}
			st.trapped = st.trapped || args[0] != "-" && args[0] != "" && w.marks.Handler(args[0], body)
		}
	}
}
