package orchestrator

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/task/dataset"
)

// located is a task that was found.
type located struct {
	task.Found
	// place is the folder, or for a task out of a cache a path that says where it is from; names are made of it.
	place string
	// name is what a dataset calls the task, or empty.
	name string
	// source is the commit that it is of, or nil.
	source *TaskSource
	// listed says that a dataset lists it.
	listed bool
}

// gather finds the tasks of some paths, of which some may be patterns, and some files that list tasks.
func gather(ctx context.Context, paths []string, o *Options) ([]located, error) {
	paths, err := task.Expand(paths)
	if err != nil {
		return nil, &UsageError{Cause: err}
	}
	if !slices.ContainsFunc(paths, dataset.IsFile) {
		if refs := o.Selection.Datasets; len(refs) > 0 {
			return nil, &UsageError{Cause: &dataset.PickError{File: "--registry", Ref: refs[0], Reason: "no registry was given"}}
		}
		found, err := task.Find(paths)
		if err != nil {
			return nil, &UsageError{Cause: err}
		}
		return plain(found), nil
	}
	l, err := lists(paths, o)
	if err != nil {
		return nil, err
	}
	if err := l.fetch(ctx, o); err != nil {
		return nil, err
	}
	var all []located
	for _, path := range paths {
		if sources, ok := l.sources[path]; ok {
			for i := range sources {
				all = append(all, l.tasks(&sources[i])...)
			}
			continue
		}
		found, err := task.Find([]string{path})
		if err != nil {
			return nil, &UsageError{Cause: err}
		}
		all = append(all, plain(found)...)
	}
	return once(all), nil
}

func plain(found []task.Found) []located {
	all := make([]located, len(found))
	for i, f := range found {
		all[i] = located{Found: f, place: f.Dir}
	}
	return all
}

// once leaves out tasks that were reached before.
func once(all []located) []located {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(l located) bool {
		real, err := filepath.EvalSymlinks(l.Dir)
		if err != nil {
			real = l.place
		}
		real = absolute(real)
		before := seen[real]
		seen[real] = true
		return before
	})
}

// called are names for some tasks, made of their places.
func called(all []located) []string {
	paths := make([]string, len(all))
	for i, l := range all {
		paths[i] = l.place
	}
	if slices.ContainsFunc(all, func(l located) bool { return l.listed }) {
		return shortNames(paths)
	}
	return relativeNames(paths)
}
