package spec

import (
	"slices"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
	"github.com/seatrial/seatrial/sidecar/fakes/spec/script"
)

// Check says everything that is wrong with the fakes for a scenario: what Load found and what only shows when all parts
// are seen together. The error is Problems.
func (f *Fakes) Check(scenario string) error {
	c := &checker{reader: &reader{problems: slices.Clone(f.problems)}}
	known := f.Scenarios()
	switch {
	case scenario == "":
		c.wrong(Place{}, "no scenario is chosen; there are %v", known)
	case !slices.Contains(known, scenario):
		c.unknown(Place{}, "scenario", scenario, known)
	}
	for _, s := range f.Servers {
		c.server(s)
		for _, name := range sorted(s.scenarios) {
			c.extends(s, s.scenarios[name])
		}
		sc, ok := s.Scenario(scenario)
		if ok {
			c.scenario(s, sc)
		} else if slices.Contains(known, scenario) {
			c.unknown(s.Place, "scenario", scenario, sorted(s.scenarios))
		}
	}
	return c.problems.err()
}

type checker struct{ *reader }

func (c *checker) server(s *Server) {
	if len(s.Tools) == 0 {
		c.wrong(s.Place, "the server has no tools; list them in [tools] or in [contract]")
	}
	for _, t := range s.Tools {
		if !t.Declared() {
			c.wrong(t.Place, "the tool %q is neither in [writes] nor in reads; say what it writes, or that it only reads", t.Name)
		}
		c.behaviour(s, t)
		c.stepWrites(t)
	}
	for _, e := range s.Entities {
		if id, _ := Key(e.Generate(0, s.Name, 1, 0)); e.Pattern != nil && !e.Pattern.MatchString(id) {
			c.wrong(e.Place, "generated ids such as %q do not fit the pattern %s; set prefix, ids and length", id, e.Pattern)
		}
	}
}

// behaviour checks that the tool does something, and that its answer can be written in its format.
func (c *checker) behaviour(s *Server, t *Tool) {
	switch {
	case t.Handler != nil:
		if fn := t.Handler.Fn; fn.NumParams() != 3 || fn.HasVarargs() || fn.HasKwargs() || fn.NumKwonlyParams() > 0 {
			c.wrong(Place{File: fn.Position().Filename(), Line: int(fn.Position().Line)},
				"the function %s has to take three arguments: args, db and ctx", t.Handler.Name)
		}
	case !t.behaves:
		p := &Problem{File: t.File, Line: t.Line, Key: t.Key, What: "the tool " + t.Name + " has no behaviour: give it steps, an answer, or a function " +
			script.HandlerName(t.Name) + " in handlers.star"}
		p.Near = Nearest(script.HandlerName(t.Name), sorted(s.handlers))
		c.problems = append(c.problems, p)
	case t.Codec.Format == format.Text && t.Text == nil && t.Answer == nil:
		c.wrong(t.Place, "the answer of %s is text, so the tool needs a text", t.Name)
	}
	if t.Text != nil && t.Output != nil {
		c.wrong(t.Place, "the tool %s has an output schema, so it needs an answer instead of a text", t.Name)
	}
}

// stepWrites compares what the steps of a tool write with the write map.
func (c *checker) stepWrites(t *Tool) {
	for _, s := range t.Steps {
		writing := s.Op == Create || s.Op == Update || s.Op == Delete
		if writing && t.Declared() && !slices.Contains(t.Writes, s.Entity) {
			c.wrong(s.Place, "this step writes %s, and the write map of %s does not have it", s.Entity, t.Name)
		}
	}
}

func (c *checker) extends(s *Server, sc *Scenario) {
	seen := []string{sc.Name}
	for at := sc; at.Extends != ""; {
		next, ok := s.scenarios[at.Extends]
		if !ok {
			c.unknown(at.Place, "scenario", at.Extends, sorted(s.scenarios))
			return
		}
		if slices.Contains(seen, next.Name) {
			c.wrong(sc.Place, "the scenario extends itself by way of %q", at.Name)
			return
		}
		seen = append(seen, next.Name)
		at = next
	}
}

func (c *checker) scenario(s *Server, sc *Scenario) {
	for _, e := range s.Entities {
		if _, seeded := sc.seeded[e.Name]; !seeded && !e.Outbound {
			c.wrong(sc.Place, "the entity %q has no seed in the scenario %q; write %s = [] if it starts empty", e.Name, sc.Name, e.Name)
		}
		c.rows(e, sc.Seed[e.Name])
	}
	for _, f := range sc.Faults {
		t, ok := s.Tool(f.Tool)
		if !ok {
			continue
		}
		for _, name := range sorted(f.Match) {
			if len(t.Known) > 0 && !t.Known[name] {
				c.unknown(f.Place, "argument of "+t.Name, name, sorted(t.Known))
			}
		}
	}
}

func (c *checker) rows(e *Entity, rows []Row) {
	places := map[string]Place{}
	for _, row := range rows {
		key, ok := Key(row.Fields[e.ID])
		switch first, twice := places[key]; {
		case !ok:
			c.wrong(row.Place, "the row has no id: %s has to be a text or a whole number", e.ID)
		case twice:
			c.wrong(row.Place, "the id %q is that of the row at %s:%d as well", key, first.File, first.Line)
		case e.Pattern != nil && !e.Pattern.MatchString(key):
			c.wrong(row.Place, "the id %q does not fit the pattern %s", key, e.Pattern)
		}
		places[key] = row.Place
		for _, reason := range e.Schema.Check(any(row.Fields)) {
			c.wrong(row.Place, "the row does not fit the schema of %s: %s", e.Name, reason)
		}
	}
}
