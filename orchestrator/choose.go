package orchestrator

import (
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/seatrial/seatrial/orchestrator/selection"
	"github.com/seatrial/seatrial/task"
)

// Choose finds the tasks of some paths and returns a job for each of those that the selection takes, broken ones among them. None of them is planned. What a job is called
// does not depend on the selection, so that parts of a set that ran apart can be put together. The error, a *UsageError, is about the paths or the selection.
func Choose(ctx context.Context, paths []string, o *Options) ([]Job, error) {
	found, err := gather(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	jobs := make([]Job, len(found))
	relative, names := called(found), newNamer()
	for i, f := range found {
		jobs[i] = Job{Dir: f.Dir, Err: f.Err, name: names.name(relative[i]), legacy: task.Printable(relative[i]), source: f.source}
	}
	if !o.Selection.Filters() {
		return jobs, nil
	}
	each(jobs, func(j *Job) { j.load(ctx, o) })
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	candidates := make([]selection.Candidate, len(jobs))
	for i := range jobs {
		candidates[i] = jobs[i].candidate(found[i])
	}
	chosen, err := selection.Choose(candidates, &o.Selection)
	if err != nil {
		return nil, &UsageError{Cause: err}
	}
	out := make([]Job, len(chosen))
	for i, n := range chosen {
		out[i] = jobs[n]
	}
	return out, nil
}

// candidate is what a selection sees of the job. A task that cannot be loaded is known by as much of its names as can be read.
func (j *Job) candidate(f located) selection.Candidate {
	folder := filepath.Base(absolute(f.place))
	name, id := "", ""
	c := selection.Candidate{}
	switch {
	case j.Task != nil:
		name, id, c.Tags = j.Task.Config.Task.Name, j.Task.Config.Eval.Case, j.Task.Config.Tags()
	case f.Err == nil:
		name, id = task.Named(j.Dir)
		c.Tags = task.Tagged(j.Dir)
	}
	c.Key = folder
	if name != "" {
		c.Key = name
	}
	for _, n := range []string{folder, f.name, name, path.Base(name), id} {
		if n != "" && n != "." && !slices.Contains(c.Names, n) {
			c.Names = append(c.Names, n)
		}
	}
	return c
}
