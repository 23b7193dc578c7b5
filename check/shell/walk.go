package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a walk: functions that call functions could otherwise make it endless.
const (
	maxCalls = 8
	maxSteps = 20_000
)

// Marks are what the caller wants to know whether it was reached.
type Marks struct {
	// Step says whether a command is what is looked for.
	Step func(*Step) bool
	// Handler says whether a handler that the script sets for its end does it; function is the text of the function that it names, or empty.
	Handler func(text, function string) bool
	// Errexit is in force from the start.
	Errexit bool
}

// Steps gives the commands of the script in the order in which it reaches them, with functions at the places where they are called. whole is false when there
// are too many.
func (s *Script) Steps(m Marks) (all []*Step, whole bool) {
	w := &walker{script: s, marks: m}
	w.stmts(s.file.Stmts, state{errexit: m.Errexit}, place{})
	return w.steps, len(w.steps) < maxSteps && w.visits < maxSteps
}

// state is what holds at one point of the script.
type state struct {
	errexit, pipefail, marked, trapped bool
	dead                               bool // the script never gets here
}

// join is what holds after either of two ways.
func join(a, b state) state {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	return state{errexit: a.errexit && b.errexit, pipefail: a.pipefail && b.pipefail, marked: a.marked && b.marked, trapped: a.trapped && b.trapped}
}

// place is where in the script a command stands.
type place struct {
	conditional, function, tolerated, background bool
	calls                                        int
	from                                         *Step
}

func (p place) maybe() place     { p.conditional = true; return p }
func (p place) forgiving() place { p.tolerated = true; return p }

type walker struct {
	script *Script
	marks  Marks
	steps  []*Step
	visits int
}

func (w *walker) stmts(all []*syntax.Stmt, st state, p place) state {
	for _, s := range all {
		if st.dead {
			break
		}
		_, st = w.stmt(s, st, p)
	}
	return st
}

// stmt walks through one command. It returns what holds when it succeeds, and what holds whatever becomes of it.
func (w *walker) stmt(s *syntax.Stmt, st state, p place) (ok, after state) {
	if w.visits++; st.dead || w.visits >= maxSteps || len(w.steps) >= maxSteps {
		return st, st
	}
	if s.Negated {
		p.tolerated = true
	}
	if s.Background {
		p.background, p.tolerated = true, true
	}
	if call, is := s.Cmd.(*syntax.CallExpr); is {
		after = w.call(s, call, st, p)
		return after, after
	}
	ok, after = w.compound(s, st, p)
	if rs := w.redirects(s); len(rs) > 0 && !after.dead {
		step := w.record(s, nil, after, p)
		step.Redirects = rs
		step.Tolerated = true
		if w.marked(step) {
			ok.marked, after.marked = true, true
		}
	}
	if s.Background {
		return st, st
	}
	return ok, after
}

func (w *walker) compound(s *syntax.Stmt, st state, p place) (ok, after state) {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(c, st, p)
	case *syntax.Block:
		after = w.stmts(c.Stmts, st, p)
	case *syntax.Subshell:
		inside := w.stmts(c.Stmts, st, p)
		after = st
		after.marked = st.marked || inside.marked
	case *syntax.IfClause:
		after = w.branches(c, st, p)
	case *syntax.WhileClause:
		after = w.stmts(c.Cond, st, p.forgiving())
		w.stmts(c.Do, after, p.maybe())
	case *syntax.ForClause:
		after = st
		w.stmts(c.Do, st, p.maybe())
	case *syntax.CaseClause:
		after = w.cases(c, st, p)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return st, st
		}
		return w.stmt(c.Stmt, st, p)
	case *syntax.CoprocClause:
		p.background, p.tolerated = true, true
		w.stmt(c.Stmt, st, p)
		after = st
	case *syntax.TestClause:
		w.record(s, []string{"[["}, st, p)
		after = st
	case *syntax.ArithmCmd:
		w.record(s, []string{"(("}, st, p)
		after = st
	case *syntax.LetClause:
		w.record(s, []string{"let"}, st, p)
		after = st
	case *syntax.DeclClause:
		w.inside(c, st, p.forgiving(), false)
		w.record(s, []string{c.Variant.Value}, st, p)
		after = st
	default: // a function is walked through where it is called
		after = st
	}
	return after, after
}

func (w *walker) binary(c *syntax.BinaryCmd, st state, p place) (ok, after state) {
	switch c.Op {
	case syntax.AndStmt:
		leftOK, left := w.stmt(c.X, st, p.forgiving())
		rightOK, right := w.stmt(c.Y, leftOK, p.maybe())
		return rightOK, join(left, right)
	case syntax.OrStmt:
		leftOK, left := w.stmt(c.X, st, p.forgiving())
		left.marked = st.marked // when it fails, nothing is sure
		if left.dead {
			left.dead = false
		}
		_, right := w.stmt(c.Y, left, p.maybe())
		after = join(leftOK, right)
		return after, after
	default:
		left := p
		left.tolerated = p.tolerated || !st.pipefail
		n := len(w.steps)
		_, st1 := w.stmt(c.X, st, left)
		right := p
		if len(w.steps) > n {
			right.from = w.steps[len(w.steps)-1]
		}
		_, after = w.stmt(c.Y, st, right)
		after.marked = after.marked || st1.marked
		after.dead = false
		return after, after
	}
}

func (w *walker) branches(c *syntax.IfClause, st state, p place) state {
	st = w.stmts(c.Cond, st, p.forgiving())
	after := w.stmts(c.Then, st, p.maybe())
	switch e := c.Else; {
	case e == nil:
		return join(after, st)
	case len(e.Cond) == 0:
		return join(after, w.stmts(e.Then, st, p.maybe()))
	default:
		return join(after, w.branches(e, st, p.maybe()))
	}
}

func (w *walker) cases(c *syntax.CaseClause, st state, p place) state {
	after, all := state{dead: true}, false
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			all = all || pattern.Lit() == "*"
		}
		after = join(after, w.stmts(item.Stmts, st, p.maybe()))
	}
	if !all {
		after = join(after, st)
	}
	return after
}

// record files a step.
func (w *walker) record(s *syntax.Stmt, args []string, st state, p place) *Step {
	pos := s.Pos()
	if s.Cmd != nil {
		pos = s.Cmd.Pos()
	}
	step := &Step{Line: int(pos.Line()), Column: int(pos.Col()), Args: args, Text: w.text(s), From: p.from, Conditional: p.conditional, InFunction: p.function,
		Tolerated: p.tolerated, Background: p.background, Errexit: st.errexit, Marked: st.marked, Trapped: st.trapped}
	w.steps = append(w.steps, step)
	return step
}

func (w *walker) text(n syntax.Node) string {
	from, to := min(int(n.Pos().Offset()), len(w.script.text)), min(int(n.End().Offset()), len(w.script.text))
	return string(w.script.text[from:max(from, min(to, from+maxText))])
}

func (w *walker) redirects(s *syntax.Stmt) []Redirect {
	var all []Redirect
	for _, r := range s.Redirs {
		one := Redirect{Op: r.Op.String(), Target: w.script.word(r.Word)}
		if r.N != nil {
			one.FD = r.N.Value
		}
		if r.Hdoc != nil {
			one.Body, one.BodyLine = w.script.word(r.Hdoc), int(r.Hdoc.Pos().Line())
		}
		if strings.HasPrefix(one.Op, "<<<") {
			one.Body, one.Target, one.BodyLine = one.Target, "", int(r.Pos().Line())
		}
		all = append(all, one)
	}
	return all
}

func (w *walker) marked(s *Step) bool { return w.marks.Step != nil && w.marks.Step(s) }
