package stack

import (
	"cmp"
	"slices"
)

// report collects what is wrong and what is odd about a compose file.
type report struct {
	file     string
	spots    map[string]spot // by path, parts joined with "/"
	problems []placed[error]
	warnings []placed[Warning]
	seen     map[string]bool
	redact   func(message string) string
}

// spot is a position in the file, from 1.
type spot struct{ line, column int }

type placed[T any] struct {
	at   spot
	what T
}

func newReport(file string, redact func(message string) string) *report {
	return &report{file: file, spots: make(map[string]spot), seen: make(map[string]bool), redact: redact}
}

// at gives the place of a path, or of the nearest key above it that the file has.
func (r *report) at(path ...string) Place {
	p := Place{File: r.file}
	named := path
	if len(path) >= 2 && path[0] == "services" {
		p.Service, named = path[1], path[2:]
	}
	p.Key = r.redact(dotted(named))
	for n := len(path); n > 0; n-- {
		if s, ok := r.spots[joined(path[:n])]; ok {
			p.Line, p.Column = s.line, s.column
			break
		}
	}
	return p
}

// has says whether the file has the key at path.
func (r *report) has(path ...string) bool {
	_, ok := r.spots[joined(path)]
	return ok
}

// once says whether this text is new. Anchored nodes are visited at every alias.
func (r *report) once(text string) bool {
	was := r.seen[text]
	r.seen[text] = true
	return !was
}

func (r *report) fail(at Place, err error) {
	if r.once(err.Error()) {
		r.problems = append(r.problems, placed[error]{spot{at.Line, at.Column}, err})
	}
}

func (r *report) invalid(at Place, reason string) {
	r.fail(at, &InvalidError{Place: at, Reason: r.redact(reason)})
}

func (r *report) unsupported(at Place, reason string) {
	r.fail(at, &UnsupportedError{Place: at, Reason: r.redact(reason)})
}

func (r *report) warn(at Place, text string) { r.note(Warning{Place: at, Text: r.redact(text)}) }

// exposes warns of tests or a solution that the agent may see.
func (r *report) exposes(at Place, text string) {
	r.note(Warning{Place: at, Text: r.redact(text), Exposes: true})
}

func (r *report) note(w Warning) {
	if r.once(w.String()) {
		r.warnings = append(r.warnings, placed[Warning]{spot{w.Place.Line, w.Place.Column}, w})
	}
}

// err gives the problems as one error, nil when there are none.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &ProblemsError{File: r.file, Problems: sorted(r.problems)}
}

func sorted[T any](all []placed[T]) []T {
	slices.SortStableFunc(all, func(a, b placed[T]) int {
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	out := make([]T, len(all))
	for i, p := range all {
		out[i] = p.what
	}
	return out
}
