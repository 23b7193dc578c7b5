package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Hole stands in texts for what is only known when the script runs.
const Hole = "\x00"

// survey finds the functions, and the variables that have one value from their assignment on.
func (s *Script) survey() {
	s.funcs, s.known = map[string]*syntax.Stmt{}, map[string]string{}
	times := map[string]int{}
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				times[n.Name.Value]++
			}
		case *syntax.WordIter:
			times[n.Name.Value] += 2
		case *syntax.FuncDecl:
			if n.Name != nil {
				s.funcs[n.Name.Value] = n.Body
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && n.Args[0].Lit() == "read" {
				for _, a := range n.Args[1:] {
					times[a.Lit()] += 2
				}
			}
		case *syntax.UnaryArithm, *syntax.BinaryArithm:
			syntax.Walk(n, func(n syntax.Node) bool {
				if l, ok := n.(*syntax.Lit); ok {
					times[l.Value] += 2
				}
				return true
			})
			return false
		}
		return true
	})
	for _, st := range s.file.Stmts { // only what is set in any case
		switch c := st.Cmd.(type) {
		case *syntax.CallExpr:
			if len(c.Args) == 0 {
				s.learn(c.Assigns, times)
			}
		case *syntax.DeclClause:
			s.learn(c.Args, times)
		}
	}
}

func (s *Script) learn(all []*syntax.Assign, times map[string]int) {
	for _, a := range all {
		if a.Name != nil && a.Value != nil && !a.Append && a.Index == nil && times[a.Name.Value] == 1 {
			s.known[a.Name.Value] = s.word(a.Value)
		}
	}
}

// maxText bounds one text in bytes: variables that hold variables would otherwise double again and again.
const maxText = 64 << 10

// word gives the text of a word, with holes where it is not known.
func (s *Script) word(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	return s.parts(w.Parts, false)
}

func (s *Script) parts(parts []syntax.WordPart, quoted bool) string {
	var b strings.Builder
	for _, p := range parts {
		if b.Len() > maxText {
			return b.String()[:maxText]
		}
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, quoted))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(s.parts(p.Parts, true))
		case *syntax.ParamExp:
			b.WriteString(s.param(p))
		default:
			b.WriteString(Hole)
		}
	}
	return b.String()
}

func (s *Script) param(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return Hole
	}
	if v, ok := s.known[p.Param.Value]; ok && (p.Exp == nil || v != "") {
		return v
	}
	if p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull || p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		return s.word(p.Exp.Word)
	}
	return Hole
}

func unescape(lit string, quoted bool) string {
	if !strings.Contains(lit, `\`) {
		return lit
	}
	var b strings.Builder
	for i := 0; i < len(lit); i++ {
		if lit[i] == '\\' && i+1 < len(lit) && (!quoted || strings.IndexByte("$`\"\\\n", lit[i+1]) >= 0) {
			i++
			if lit[i] == '\n' {
				continue
			}
		}
		b.WriteByte(lit[i])
	}
	return b.String()
}
