package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seatrial/seatrial/internal/nearest"
	"github.com/seatrial/seatrial/task"
)

// reading is the state of one Parse. The first thing that is wrong ends it.
type reading struct {
	file  *File
	tasks int
	err   *FileError
}

func (r *reading) wrong(key, format string, args ...any) {
	if r.err == nil {
		r.err = &FileError{File: r.file.Path, Key: key, Reason: fmt.Sprintf(format, args...)}
	}
}

// own reads a file in seatrial's own form. Keys that it does not have are errors.
func (r *reading) own(top map[string]any) {
	r.known("", top, "name", "version", "description", "tasks")
	d := Dataset{Name: r.text("", top, "name"), Version: r.text("", top, "version")}
	r.text("", top, "description")
	for i, v := range r.list("", top, "tasks") {
		key := fmt.Sprintf("tasks[%d]", i)
		t := r.table(key, v)
		r.known(key, t, "path", "name", "git", "commit")
		d.Tasks = append(d.Tasks, r.source(key, t, "git", "commit"))
	}
	r.file.Datasets = []Dataset{d}
	if r.err == nil && len(d.Tasks) == 0 {
		r.wrong("tasks", "there are none")
	}
}

// registry reads Harbor's registry.json. Keys that nothing here reads are Harbor's own business.
func (r *reading) registry(top []any) {
	r.file.Registry = true
	seen := map[string]bool{}
	for i, v := range top {
		key := fmt.Sprintf("[%d]", i)
		m := r.table(key, v)
		d := Dataset{Name: r.text(key, m, "name"), Version: r.text(key, m, "version")}
		if d.Name == "" {
			r.wrong(key+".name", "a dataset has no name")
		}
		for j, v := range r.list(key, m, "tasks") {
			at := fmt.Sprintf("%s.tasks[%d]", key, j)
			d.Tasks = append(d.Tasks, r.source(at, r.table(at, v), "git_url", "git_commit_id"))
		}
		if seen[d.Ref()] {
			r.wrong(key, "dataset %s is there twice", d.Ref())
		}
		seen[d.Ref()] = true
		r.file.Datasets = append(r.file.Datasets, d)
		if r.err != nil {
			return
		}
	}
	if len(top) == 0 {
		r.wrong("", "the registry has no datasets")
	}
}

func (r *reading) source(key string, t map[string]any, git, commit string) Source {
	if r.tasks++; r.tasks > MaxTasks {
		r.wrong(key, "more than %d tasks", MaxTasks)
	}
	s := Source{Name: r.text(key, t, "name"), Path: r.text(key, t, "path"), Git: r.text(key, t, git), Commit: r.text(key, t, commit)}
	switch {
	case s.Path == "":
		r.wrong(key+".path", "is missing")
	case s.Commit != "" && s.Git == "":
		r.wrong(key+"."+commit, "is there without %s", git)
	}
	return s
}

// known refuses keys that a table does not have.
func (r *reading) known(at string, t map[string]any, keys ...string) {
	for _, k := range slices.Sorted(maps.Keys(t)) {
		if slices.Contains(keys, k) {
			continue
		}
		if near := nearest.Of(k, keys); near != "" {
			r.wrong(join(at, k), "there is no such key; did you mean %s?", near)
		}
		r.wrong(join(at, k), "there is no such key; there are %s", strings.Join(keys, ", "))
	}
}

// text reads a text that may be missing, or null as in a registry.
func (r *reading) text(at string, t map[string]any, key string) string {
	v, ok := t[key]
	if !ok || v == nil {
		return ""
	}
	s, ok := v.(string)
	switch {
	case !ok:
		r.wrong(join(at, key), "want a text")
	case len(s) > maxText:
		r.wrong(join(at, key), "is longer than %d bytes", maxText)
	case !utf8.ValidString(s) || task.Printable(s) != s:
		r.wrong(join(at, key), "holds control characters")
	case s == "" && key != "description":
		r.wrong(join(at, key), "is empty")
	}
	return s
}

func (r *reading) list(at string, t map[string]any, key string) []any {
	v, ok := t[key]
	if !ok {
		r.wrong(join(at, key), "is missing")
		return nil
	}
	l, ok := v.([]any)
	if !ok {
		r.wrong(join(at, key), "want a list of tasks")
	}
	return l
}

func (r *reading) table(at string, v any) map[string]any {
	t, ok := v.(map[string]any)
	if !ok {
		r.wrong(at, "want an object")
	}
	return t
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}
