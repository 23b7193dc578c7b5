package check

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// problems turns the error of loading or planning a task into findings, one for each thing that is wrong.
func (c *checking) problems(err error) {
	for _, e := range leaves(err) {
		c.add(c.problem(e))
	}
}

// leaves takes joined errors apart, down to those that are one problem each.
func leaves(err error) []error {
	if f := (placer{}); f.knows(err) {
		return []error{err}
	}
	switch e := err.(type) { //nolint:errorlint // the chain is walked by hand, since each part of it counts
	case interface{ Unwrap() []error }:
		var all []error
		for _, one := range e.Unwrap() {
			all = append(all, leaves(one)...)
		}
		return all
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil && hasMany(inner) {
			return leaves(inner)
		}
	}
	return []error{err}
}

// hasMany says whether there is more than one error in a chain.
func hasMany(err error) bool {
	for err != nil {
		if _, ok := err.(interface{ Unwrap() []error }); ok {
			return true
		}
		err = errors.Unwrap(err)
	}
	return false
}

// problem turns one error into a finding.
func (c *checking) problem(err error) Finding {
	var none *task.NoTaskError
	var missing *task.MissingEnvError
	var digest *task.DigestError
	var source *orchestrator.SourceError
	p := placer{c: c}
	switch {
	case p.knows(err):
		return p.finding(err)
	case errors.As(err, &source):
		return Finding{Code: "plan_failed", File: c.task.Dir, Message: source.Error()}
	case errors.As(err, &none):
		return Finding{Code: "bad_name", File: c.task.Dir, Message: none.Reason + reason(none.Err)}
	case errors.As(err, &missing):
		return Finding{Code: "variable_missing", File: c.path(task.ConfigName), Key: missing.Table + "." + missing.Key,
			Message: "the host has no environment variable " + clip(missing.Name)}
	case errors.As(err, &digest):
		return Finding{Code: "config_invalid", File: c.path(digest.Path), Message: strings.TrimPrefix(err.Error(), "digest of the task: ")}
	}
	return Finding{Code: "plan_failed", File: c.task.Dir, Message: err.Error()}
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// placer turns errors that name their place into findings.
type placer struct{ c *checking }

// knows says whether an error itself names its place.
func (placer) knows(err error) bool {
	switch err.(type) { //nolint:errorlint // only the error itself
	case *task.ConfigError, *orchestrator.UnsupportedError, *spec.Problem, *stack.UnsupportedError, *stack.NotAllowedError, *stack.VariableError, *stack.InvalidError:
		return true
	}
	return false
}

func (p placer) finding(err error) Finding {
	switch e := err.(type) { //nolint:errorlint // only the error itself
	case *task.ConfigError:
		f := Finding{Code: "config_invalid", File: p.shown(e.File), Line: e.Line, Column: e.Column, Key: e.Key, Message: e.Text()}
		if e.Value != "" {
			f.Key, f.Message = e.Key, "= "+e.Value+": "+e.Text()
		}
		if e.Code == task.ScoringInvalid {
			f.Code = "scoring_invalid"
		}
		if e.Code == task.LineEndings {
			f.Code = "crlf"
		}
		return f
	case *orchestrator.UnsupportedError:
		return Finding{Code: "unsupported", File: p.shown(e.File), Line: e.Line, Column: e.Column, Key: e.Key, Message: e.What}
	case *spec.Problem:
		what := e.What
		if e.Near != "" {
			what += "; did you mean " + e.Near + "?"
		}
		return Finding{Code: "fakes_invalid", File: p.shown(e.File), Line: e.Line, Key: e.Key, Message: what}
	case *stack.UnsupportedError:
		return p.compose("unsupported", e.Place, err)
	case *stack.NotAllowedError:
		return p.compose("unsupported", e.Place, err)
	case *stack.VariableError:
		return p.compose("compose_invalid", e.Place, err)
	case *stack.InvalidError:
		return p.compose("compose_invalid", e.Place, err)
	}
	return Finding{Code: "plan_failed", File: p.c.task.Dir, Message: err.Error()}
}

// compose makes a finding of an error that has a place in a compose file.
func (p placer) compose(code string, at stack.Place, err error) Finding {
	file := p.shown(at.File)
	if at.File == "" {
		file = p.c.task.Dir
	}
	return Finding{Code: code, File: file, Line: at.Line, Column: at.Column, Key: composeKey(at), Message: strings.TrimPrefix(strings.TrimPrefix(err.Error(), at.String()), ": ")}
}

func composeKey(at stack.Place) string {
	if at.Service == "" {
		return at.Key
	}
	return strings.TrimSuffix("services."+at.Service+"."+at.Key, ".")
}

// shown gives a file below the task's real folder as one below the path that the caller gave.
func (p placer) shown(file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	real, err := filepath.EvalSymlinks(p.c.task.Dir)
	if err == nil {
		if real, err = filepath.Abs(real); err == nil {
			if rel, err := filepath.Rel(real, file); err == nil && filepath.IsLocal(rel) {
				return filepath.Join(p.c.task.Dir, rel)
			}
		}
	}
	return file
}

// warnings are the task's own, and the plan's.
func (c *checking) warnings(t *task.Task, p *orchestrator.Plan) {
	mine := map[string]bool{}
	for _, w := range t.Warnings {
		mine[w.String()] = true
		f := Finding{Code: string(w.Code), File: w.File, Line: w.Line, Key: w.Key, Message: w.Message}
		if w.Code == task.LineEndings {
			f.Code, f.Severity = "crlf", Warning
		}
		c.add(f)
	}
	if p == nil {
		return
	}
	for _, w := range p.Warnings {
		switch {
		case mine[w.Message] || w.Code == "compose":
		case w.Code == "case_unnamed":
			c.add(Finding{Code: w.Code, File: c.path(task.ConfigName), Message: w.Message})
		default:
			c.add(Finding{Code: w.Code, Severity: Warning, File: c.task.Dir, Message: w.Message})
		}
	}
	for _, w := range p.Compose {
		if w.Exposes {
			continue // tests_in_image looks closer
		}
		c.add(Finding{Code: "compose", File: placer{c}.shown(w.Place.File), Line: w.Place.Line, Column: w.Place.Column, Key: composeKey(w.Place), Message: w.Text})
	}
}
