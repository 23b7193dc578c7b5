package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/task/checkout"
	"github.com/seatrial/seatrial/task/dataset"
)

// fetches is how many commits are fetched at a time.
const fetches = 4

// SourceError says why a task that a dataset lists cannot be had.
type SourceError struct {
	// File is the dataset, and Task what it calls the task, or the task's path.
	File, Task string
	Cause      error
}

// Error names the dataset and the task.
func (e *SourceError) Error() string {
	return fmt.Sprintf("task %s of %s: %v", task.Printable(e.Task), task.Printable(e.File), e.Cause)
}

// Unwrap returns the cause.
func (e *SourceError) Unwrap() error { return e.Cause }

// source is a task, or a folder of tasks, that a dataset lists.
type source struct {
	dataset.Source
	file   string // the dataset's
	index  int    // in the file
	origin *checkout.Origin
	commit string
	err    error // of its form
}

// listing is what some files list.
type listing struct {
	sources map[string][]source // by the file's path
	store   *checkout.Store
	trees   map[string]*fetched // by repository and commit
}

// fetched is a commit, or why there is none.
type fetched struct {
	of   *source
	tree *checkout.Tree
	err  error
}

func (s *source) key() string { return s.origin.URL + "\x00" + s.commit }

// lists reads the files among some paths. A registry gives the datasets that the options name, and each of these must be in one of the registries.
func lists(paths []string, o *Options) (*listing, error) {
	l := &listing{sources: map[string][]source{}, trees: map[string]*fetched{}}
	var registries []*dataset.File
	for _, path := range paths {
		if l.sources[path] != nil || !dataset.IsFile(path) {
			continue
		}
		f, err := dataset.Read(path)
		if err != nil {
			return nil, &UsageError{Cause: err}
		}
		if f.Registry {
			registries = append(registries, f)
		}
		l.sources[path] = []source{}
		if !f.Registry {
			l.add(f.Path, f.Datasets[0].Tasks)
		}
	}
	if len(o.Selection.Datasets) == 0 && len(registries) > 0 {
		f := registries[0]
		return nil, &UsageError{Cause: &dataset.PickError{File: f.Path, Reason: "name its datasets with --dataset; there are " + strings.Join(f.Refs(), ", ")}}
	}
	for _, ref := range o.Selection.Datasets {
		if err := l.pick(ref, registries); err != nil {
			return nil, &UsageError{Cause: err}
		}
	}
	return l, nil
}

// pick adds the tasks of a dataset from the first registry that has it.
func (l *listing) pick(ref string, registries []*dataset.File) error {
	var first error
	for _, f := range registries {
		d, err := f.Pick(ref)
		if err == nil {
			if len(d.Tasks) == 0 {
				return &dataset.PickError{File: f.Path, Ref: ref, Reason: "it has no tasks"}
			}
			l.add(f.Path, d.Tasks)
			return nil
		}
		first = cmp.Or(first, err)
	}
	return cmp.Or[error](first, &dataset.PickError{File: "--registry", Ref: ref, Reason: "no registry was given"})
}

// add reads the forms of a dataset's sources. What is wrong with one is its own error.
func (l *listing) add(file string, sources []dataset.Source) {
	for _, s := range sources {
		one := source{Source: s, file: file, index: len(l.sources[file])}
		if s.Git != "" {
			one.err = one.read()
		}
		l.sources[file] = append(l.sources[file], one)
	}
}

func (s *source) read() (err error) {
	if s.origin, err = checkout.ParseOrigin(s.Git, filepath.Dir(s.file)); err != nil {
		return err
	}
	if s.commit, err = checkout.ParseCommit(s.Commit); err != nil {
		return err
	}
	s.Path, err = checkout.ParsePath(s.Path)
	return err
}

// fetch gets every commit that is listed, once and some at a time. A commit that cannot be had hides no other; the error is that there is no place for any, or ctx's.
func (l *listing) fetch(ctx context.Context, o *Options) error {
	var order []*fetched
	for _, path := range slices.Sorted(maps.Keys(l.sources)) {
		for i := range l.sources[path] {
			s := &l.sources[path][i]
			if s.origin == nil || s.err != nil || l.trees[s.key()] != nil {
				continue
			}
			f := &fetched{of: s}
			l.trees[s.key()] = f
			order = append(order, f)
		}
	}
	if len(order) == 0 {
		return nil
	}
	store, err := checkout.Open(o.Lookup)
	if err != nil {
		return &UsageError{Cause: err}
	}
	store.Offline, store.Notice = o.Offline, o.Notice
	l.store = store
	var g errgroup.Group
	g.SetLimit(fetches)
	for _, f := range order {
		g.Go(func() error {
			f.tree, f.err = store.Get(ctx, f.of.origin, f.of.commit)
			return nil
		})
	}
	_ = g.Wait() // each has its own error
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// tasks finds the tasks of a source; one that cannot be had is a broken task.
func (l *listing) tasks(s *source) []located {
	if s.Git == "" {
		dir := filepath.FromSlash(s.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(s.file), dir)
		}
		return l.find(s, dir, dir)
	}
	if s.err != nil {
		place := filepath.Join(s.file, strconv.Itoa(s.index), filepath.Base(s.label()))
		return []located{s.broken(place, place, s.err)}
	}
	place := "/" + filepath.Join(s.commit[:12], s.origin.Place(), s.Path)
	f := l.trees[s.key()]
	dir := filepath.Join(l.store.Dir(s.origin, s.commit), filepath.FromSlash(s.Path))
	if f.err != nil {
		return []located{s.broken(dir, place, f.err)}
	}
	if _, err := f.tree.Folder(s.Path); err != nil {
		return []located{s.broken(dir, place, err)}
	}
	all := l.find(s, dir, place)
	for i := range all {
		if err := f.tree.Whole(all[i].Dir); err != nil && all[i].Err == nil {
			all[i].Err = &SourceError{s.file, s.label(), err}
		}
	}
	return all
}

// find finds the tasks at a folder, whose place is known.
func (l *listing) find(s *source, dir, place string) []located {
	found, err := task.Find([]string{dir})
	if err != nil {
		return []located{s.broken(dir, place, err)}
	}
	all := plain(found)
	for i := range all {
		all[i].listed = true
		if rel, err := filepath.Rel(dir, all[i].Dir); err == nil {
			all[i].place = filepath.Join(place, rel)
			all[i].source = s.at(rel)
		}
		if len(all) == 1 {
			all[i].name = s.Name
		}
	}
	return all
}

// at is a folder below the source's as a record names it; nil where the source is no commit.
func (s *source) at(rel string) *TaskSource {
	if s.origin == nil || s.commit == "" {
		return nil
	}
	return &TaskSource{Repository: s.origin.URL, Commit: s.commit, Path: task.Printable(path.Join(s.Path, filepath.ToSlash(rel)))}
}

func (s *source) label() string { return cmp.Or(s.Name, s.Path) }

func (s *source) broken(dir, place string, err error) located {
	return located{Found: task.Found{Dir: dir, Err: &SourceError{s.file, s.label(), err}}, place: place, name: s.Name, listed: true, source: s.at(".")}
}
