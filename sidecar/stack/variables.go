package stack

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// variables are what a compose file may refer to: the caller's first, then the .env file beside the compose file, then
// the allowed ones of the host.
type variables struct {
	in   *Input
	file map[string]envValue // from .env
	room int                 // bytes of text that may still be made
	seen map[string]bool     // values given out that are not to be shown
}

// look gives a variable's value, whether it has one, and whether that is not to be shown.
func (v *variables) look(name string) (value string, ok, secret bool) {
	value, ok, secret = v.find(name)
	if secret && len(value) >= minRedacted {
		v.seen[value] = true
	}
	return value, ok, secret
}

// minRedacted keeps short values, which stand in every text by chance, from making messages unreadable.
const minRedacted = 4

// redact gives a message without the values that are not to be shown.
func (v *variables) redact(message string) string {
	values := slices.SortedFunc(maps.Keys(v.seen), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) // a value inside another comes later
	})
	for _, value := range values {
		message = strings.ReplaceAll(message, value, hiddenValue)
	}
	return message
}

func (v *variables) find(name string) (value string, ok, secret bool) {
	if value, ok = v.in.Vars[name]; ok {
		return value, true, v.in.Secrets[name]
	}
	if one, ok := v.file[name]; ok {
		return one.text, true, one.secret
	}
	if v.in.HostAllowed != nil {
		value, ok = v.in.HostAllowed(name)
	}
	return value, ok, ok
}

// onHost says whether the host has the variable.
func (v *variables) onHost(name string) bool { return v.in.HostHas != nil && v.in.HostHas(name) }

// readDotEnv reads the .env file in the definition's folder, as compose does. Its COMPOSE_ names would steer compose
// itself and are left out.
func (v *variables) readDotEnv(dir *folder, r *report) {
	path := filepath.Join(v.in.Dir, ".env")
	data, err := dir.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.fail(Place{File: path}, &InvalidError{Place: Place{File: path}, Reason: "cannot be read", Cause: err})
		return
	}
	values := readEnv(path, string(data), v, r)
	for name := range values {
		if strings.HasPrefix(name, "COMPOSE_") {
			delete(values, name)
		}
	}
	v.file = values
}
