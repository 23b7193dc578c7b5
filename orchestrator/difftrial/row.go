package difftrial

import (
	"math"
)

// The units of numbers.
const (
	unitSeconds = "seconds"
	unitBytes   = "bytes"
	unitKiB     = "KiB"
)

// maxRows bounds what a section holds. What is beyond is counted, and decides all the same whether the section differs.
const maxRows = 10_000

// Section is a part of a comparison that is made of the records.
type Section struct {
	Name    string `json:"name"`
	Differs bool   `json:"differs"` // a row does
	Rows    []Row  `json:"rows"`
	LeftOut int    `json:"left_out"` // rows that there are besides
}

// Row is one thing that both trials have or could have.
type Row struct {
	// Name names it, for the most part as the record does: "agent.exit", "steps.one.verifier.signal".
	Name string `json:"name"`
	// Old and New are numbers, texts or booleans; null = there is none.
	Old  any    `json:"old"`
	New  any    `json:"new"`
	Unit string `json:"unit,omitempty"`
	// Delta is new minus old, Ratio new to old; each stands where it says something and is finite.
	Delta *float64 `json:"delta,omitempty"`
	Ratio *float64 `json:"ratio,omitempty"`
	// Differs says that both are not the same. It is false where that is so by nature.
	Differs bool `json:"differs"`
	// Varies says that both are not the same, which is so by nature and no difference: times, sizes in memory, texts that hold such.
	Varies bool `json:"varies"`

	minor bool // people need not see it where both are the same
}

func section(name string) Section { return Section{Name: name, Rows: []Row{}} }

func (s *Section) add(r Row) {
	s.Differs = s.Differs || r.Differs
	if len(s.Rows) >= maxRows {
		s.LeftOut++
		return
	}
	s.Rows = append(s.Rows, r)
}

// value adds something that should be the same. Nothing is added where neither trial has it.
func (s *Section) value(name string, was, now any) {
	if was != nil || now != nil {
		s.add(Row{Name: name, Old: was, New: now, Differs: was != now})
	}
}

// detail is a value that people need to see only where it is not the same.
func (s *Section) detail(name string, was, now any) {
	if was != nil || now != nil {
		s.add(Row{Name: name, Old: was, New: now, Differs: was != now, minor: true})
	}
}

// score adds a score: a value with a delta.
func (s *Section) score(name string, was, now any, minor bool) {
	if was != nil || now != nil {
		s.add(Row{Name: name, Old: was, New: now, Differs: was != now, Delta: delta(was, now), minor: minor})
	}
}

// varying adds something that is another one each time.
func (s *Section) varying(name string, was, now any) {
	if was != nil || now != nil {
		s.add(Row{Name: name, Old: was, New: now, Varies: was != now, minor: true})
	}
}

// measured adds a number that is another one each time.
func (s *Section) measured(name, unit string, was, now any) {
	if was != nil || now != nil {
		s.add(Row{Name: name, Old: was, New: now, Unit: unit, Varies: was != now, Ratio: ratio(was, now)})
	}
}

// counted adds a number that should be the same where both are known.
func (s *Section) counted(name, unit string, was, now any) {
	if was != nil || now != nil {
		known := was != nil && now != nil
		s.add(Row{Name: name, Old: was, New: now, Unit: unit, Differs: known && was != now, Varies: !known, minor: true})
	}
}

// val is what a pointer points to; nil for none.
func val[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// some is a text; nil for an empty one.
func some(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func delta(was, now any) *float64 {
	a, okA := was.(float64)
	b, okB := now.(float64)
	if !okA || !okB || a == b {
		return nil
	}
	return finite(b - a)
}

func ratio(was, now any) *float64 {
	a, okA := float(was)
	b, okB := float(now)
	if !okA || !okB || a <= 0 || b < 0 {
		return nil
	}
	return finite(b / a)
}

func float(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	}
	return 0, false
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
