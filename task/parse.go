package task

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// MaxConfigSize is the most bytes of a task.toml.
const MaxConfigSize = 1 << 20

// Options say how a task is read.
type Options struct {
	// Lax turns unknown keys into warnings, as Harbor lets them pass.
	Lax bool
}

// Parse decodes the bytes of a task.toml. file is the name for messages. The error is Problems and holds everything
// that is wrong, apart from what stands after an error of syntax; the Config is nil then. Warnings are returned in
// either case, sorted by line.
func Parse(file string, data []byte, opt Options) (*Config, []Warning, error) {
	r := &reader{file: file, lax: opt.Lax, places: map[string]Position{}}
	c := r.parse(data)
	slices.SortStableFunc(r.warnings, func(a, b Warning) int { return a.Line - b.Line })
	if err := r.problems.err(); err != nil {
		return nil, r.warnings, err
	}
	return c, r.warnings, nil
}

func (r *reader) parse(data []byte) *Config {
	c := &Config{Environment: Environment{OS: Linux}, places: r.places}
	all := r.tree(data, rootFields(c))
	if all == nil {
		return nil
	}
	c.Metadata, _ = all["metadata"].(map[string]any)
	return c
}

// tree reads a file of TOML by its schema, and returns all of it as the TOML library reads it; nil when it is no TOML.
func (r *reader) tree(data []byte, f fields) map[string]any {
	if len(data) > MaxConfigSize {
		r.report(&ConfigError{What: fmt.Sprintf("the file is larger than %d bytes", MaxConfigSize)})
		return nil
	}
	if trimmed, found := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); found {
		data = trimmed
		r.warnings = append(r.warnings, Warning{
			Code: ByteOrderMark, File: r.file, Line: 1,
			Message: "the file starts with a byte order mark, which other readers of TOML refuse; save it without",
		})
	}
	g := &grower{}
	grammatical := g.grow(data)
	if g.bound != nil {
		r.report(&ConfigError{Line: g.bound.at.Line, Column: g.bound.at.Column, What: g.bound.what})
		return nil
	}
	all := map[string]any{}
	invalid := r.syntax(toml.Unmarshal(data, &all))
	if !grammatical {
		if invalid == nil {
			invalid = &ConfigError{What: "the file is not TOML"}
		}
		r.report(invalid)
		return nil
	}
	r.table(g.root, f)
	r.merge(invalid, g.twice)
	return all
}

// syntax turns an error of the TOML library into a problem.
func (r *reader) syntax(err error) *ConfigError {
	if err == nil {
		return nil
	}
	e := &ConfigError{File: r.file, What: "the file is not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	var de *toml.DecodeError
	if errors.As(err, &de) {
		e.Line, e.Column = de.Position()
	}
	return e
}

// merge adds what the TOML library found to what the schema found. It stops at the first definition that is there
// twice, so those come from the tree, but only if it found one: which definitions collide is its decision.
func (r *reader) merge(invalid *ConfigError, twice []clash) {
	if invalid == nil {
		return
	}
	r.problems = slices.DeleteFunc(r.problems, func(e *ConfigError) bool { return e.Line == invalid.Line })
	if len(twice) == 0 {
		r.report(invalid)
		return
	}
	for _, c := range twice {
		r.report(&ConfigError{
			Line: c.at.Line, Column: c.at.Column, Key: c.node.path(),
			What: fmt.Sprintf("%s on line %d", c.what, c.node.key.Line),
		})
	}
}
