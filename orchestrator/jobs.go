package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/seatrial/seatrial/task"
)

// Job is one trial that a run has to do: a plan, or why there is none.
type Job struct {
	// Dir is the task's folder as it was found.
	Dir string
	// Task is nil when it could not be loaded.
	Task *task.Task
	Plan *Plan
	Err  error
	// Clash says that another task would have the same case in a record, or is nil.
	Clash error

	name, legacy string
	source       *TaskSource
	live         *LiveTrial
	trial        int // counts from 1 where there are several
}

// Plans finds, loads and plans every task of some paths. A task that is broken becomes a job with an error, since it must not stop the others; the error
// returned is about the paths or about tasks that exclude each other.
func Plans(ctx context.Context, paths []string, o *Options) ([]Job, error) {
	jobs, err := Survey(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	var clashes []error
	for _, j := range jobs {
		clashes = append(clashes, j.Clash)
	}
	if err := errors.Join(clashes...); err != nil {
		return jobs, &UsageError{Cause: err}
	}
	return jobs, nil
}

// Survey does as Plans does, and tells with each job whether it excludes another. The error is about the paths or the selection; nothing else stops it.
func Survey(ctx context.Context, paths []string, o *Options) ([]Job, error) {
	jobs, err := Choose(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	each(jobs, func(j *Job) { j.plan(ctx, o) })
	collisions(jobs)
	return jobs, nil
}

// each does something with every job, several at a time.
func each(jobs []Job, do func(*Job)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range jobs {
		g.Go(func() error {
			do(&jobs[i])
			return nil
		})
	}
	_ = g.Wait() // each job has its own error
}

// load loads the job's task, if it can be.
func (j *Job) load(ctx context.Context, o *Options) {
	if j.Err != nil || j.Task != nil {
		return
	}
	if j.Err = ctx.Err(); j.Err != nil {
		return
	}
	j.Task, j.Err = task.Load(j.Dir, task.Options{Lax: o.Lax})
	if j.Err == nil {
		j.legacy = cmp.Or(j.Task.Config.Task.Name, j.legacy)
	}
}

// plan plans the job's task, if it could be loaded.
func (j *Job) plan(ctx context.Context, o *Options) {
	if j.load(ctx, o); j.Err != nil {
		return
	}
	if j.Err = caseFile(j.Task); j.Err != nil {
		return
	}
	j.Replan(ctx, o)
}

// Replan plans a job's task again, by other options.
func (j *Job) Replan(ctx context.Context, o *Options) {
	if j.Plan, j.Err = MakePlan(ctx, j.Task, j.name, j.legacy, o); j.Err == nil {
		j.Plan.Source = j.source
	}
}

// shownDir is the job's folder for people and records.
func (j *Job) shownDir() string { return task.Printable(filepath.Clean(j.Dir)) }
