package task

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EnvTable holds environment variables by name. A value that is "${NAME}" or "${NAME:-default}" from its first to its
// last character is a template for a variable of the host; any other value, "$NAME" and "a${NAME}" too, stands for
// itself. Names are never templates.
type EnvTable map[string]string

// MissingEnvError says that a template names a variable which the host does not have and gives no default.
type MissingEnvError struct {
	// Table is the table as in "environment.env".
	Table string
	// Key is the variable that the template is the value of.
	Key string
	// Name is the variable that the host lacks.
	Name string
}

// Error says which variable to set, and for what.
func (e *MissingEnvError) Error() string {
	return fmt.Sprintf("%s.%s: the host has no environment variable %s; set it, or give a default as in ${%s:-default}",
		e.Table, clip(e.Key), clip(e.Name), clip(e.Name))
}

// Resolve replaces the templates of t by what lookup finds, which like os.LookupEnv tells an empty variable from one
// that is not there; an empty one is taken. A default is used as it stands. The values come with the sorted names of
// those, in t, whose value came from the host, so that they can be kept secret. The error joins one *MissingEnvError
// for each template that nothing fills, sorted by name; there are no values then.
func (t EnvTable) Resolve(table string, lookup func(string) (string, bool)) (values map[string]string, fromHost []string, err error) {
	values = make(map[string]string, len(t))
	var missing []error
	for _, key := range slices.Sorted(maps.Keys(t)) {
		tmpl, ok := parseTemplate(t[key])
		if !ok {
			values[key] = t[key]
			continue
		}
		if v, found := lookup(tmpl.name); found {
			values[key] = v
			fromHost = append(fromHost, key)
			continue
		}
		if !tmpl.hasDefault {
			missing = append(missing, &MissingEnvError{Table: table, Key: key, Name: tmpl.name})
			continue
		}
		values[key] = tmpl.fallback
	}
	if len(missing) > 0 {
		return nil, nil, errors.Join(missing...)
	}
	return values, fromHost, nil
}

// HostNames returns the sorted names of the host's variables that templates in t ask for, with or without a default.
func (t EnvTable) HostNames() []string {
	names := map[string]bool{}
	for _, v := range t {
		if tmpl, ok := parseTemplate(v); ok {
			names[tmpl.name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

type template struct {
	name, fallback string
	hasDefault     bool
}

// parseTemplate follows Harbor: a name is anything without "}" and ":", a default anything without a line break, and
// the default may hold "}".
func parseTemplate(value string) (template, bool) {
	inside, ok := strings.CutPrefix(value, "${")
	if !ok {
		return template{}, false
	}
	end := strings.IndexAny(inside, ":}")
	if end < 1 {
		return template{}, false
	}
	name, rest := inside[:end], inside[end:]
	if rest == "}" {
		return template{name: name}, true
	}
	fallback, ok := strings.CutPrefix(rest, ":-")
	if !ok {
		return template{}, false
	}
	fallback, ok = strings.CutSuffix(fallback, "}")
	if !ok || strings.Contains(fallback, "\n") {
		return template{}, false
	}
	return template{name: name, fallback: fallback, hasDefault: true}, true
}
