package check

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/task"
)

// Options say how tasks are checked.
type Options struct {
	// Plan is how they would be run.
	Plan orchestrator.Options
	// AgentGiven says that somebody chose the agent. Else a task without a solution is as right as any other.
	AgentGiven bool
}

// Task is what was found of one task.
type Task struct {
	// Dir is the task's folder as it was found; it may hold any bytes.
	Dir string
	// Plan is what a trial would do; nil when the task is invalid.
	Plan *orchestrator.Plan
	// Findings are sorted by file and place.
	Findings []Finding
	// Invalid says that the task cannot be loaded, or no trial of it planned.
	Invalid bool
}

// Static checks every task of some paths without an engine, in their order. One task hides nothing of another. The error is about the paths, or ctx's.
func Static(ctx context.Context, paths []string, o Options) ([]Task, error) {
	jobs, err := orchestrator.Survey(ctx, paths, &o.Plan)
	if err != nil {
		return nil, err
	}
	all := make([]Task, len(jobs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range jobs {
		g.Go(func() error {
			all[i] = one(ctx, &jobs[i], &o)
			return nil
		})
	}
	_ = g.Wait() // what is wrong with a task is among its findings
	return all, context.Cause(ctx)
}

// one gathers what is wrong with one task.
func one(ctx context.Context, j *orchestrator.Job, o *Options) Task {
	var u *orchestrator.UnsupportedError
	if j.Task != nil && !o.AgentGiven && errors.As(j.Err, &u) && u.Key == "--agent oracle" {
		other := o.Plan
		other.Agent = orchestrator.AgentChoice{Kind: orchestrator.AgentNop}
		j.Replan(ctx, &other)
	}
	c := &checking{task: Task{Dir: j.Dir, Plan: j.Plan, Invalid: j.Err != nil}}
	if j.Err != nil {
		c.problems(j.Err)
	}
	if j.Clash != nil {
		c.task.Invalid = true
		c.add(Finding{Code: "duplicate_case", File: c.path("task.toml"), Message: j.Clash.Error()})
	}
	if j.Task != nil {
		c.warnings(j.Task, j.Plan)
		c.look(j.Task)
	}
	Sort(c.task.Findings)
	return c.task
}

// checking is the state of one task's check.
type checking struct {
	task Task
}

// path is a file of the task below the path that the caller gave.
func (c *checking) path(rel string) string { return filepath.Join(c.task.Dir, filepath.FromSlash(rel)) }

// add files a finding, with what the catalogue says where it does not say it itself.
func (c *checking) add(f Finding) {
	k := KindOf(f.Code)
	f.Task = task.Printable(c.task.Dir)
	if f.Severity == "" {
		f.Severity = k.Severity
	}
	if f.Remedy == "" {
		f.Remedy = k.Remedy
	}
	c.task.Findings = append(c.task.Findings, f)
}
