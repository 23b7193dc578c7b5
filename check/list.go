package check

import (
	"context"
	"errors"
	"slices"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/selection"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/task/dataset"
)

// List says for each of some paths, of which some may be patterns or files that list tasks, which tasks are there and which cases they implement. The tasks are those that the options' selection
// takes; what the cases are covered by does not depend on it. A path that leads nowhere hides none of the others: it is among the errors, which are *orchestrator.UsageError.
func List(ctx context.Context, paths []string, o *orchestrator.Options) ([]*Coverage, []error) {
	all, errs, good := []*Coverage{}, []error{}, []string{}
	for _, path := range paths {
		expanded, err := task.Expand([]string{path})
		for _, p := range expanded {
			var covered *Coverage
			if dataset.IsFile(p) {
				covered, err = listed(ctx, p, o)
			} else {
				_, covered, err = Suite(p)
			}
			if err != nil {
				break
			}
			all, good = append(all, covered), append(good, p)
		}
		if err != nil {
			errs = append(errs, wrong(err))
		}
	}
	if !o.Selection.Filters() || len(good) == 0 {
		return all, errs
	}
	jobs, err := orchestrator.Choose(ctx, good, o)
	if err != nil {
		return []*Coverage{}, append(errs, err)
	}
	chosen := map[string]bool{}
	for i := range jobs {
		chosen[jobs[i].Dir] = true
	}
	for _, c := range all {
		c.Tasks = slices.DeleteFunc(c.Tasks, func(t TaskCoverage) bool { return !chosen[t.path] })
	}
	return all, errs
}

func wrong(err error) error {
	var usage *orchestrator.UsageError
	if errors.As(err, &usage) {
		return usage
	}
	return &orchestrator.UsageError{Cause: err}
}

// listed says which tasks a file lists.
func listed(ctx context.Context, path string, o *orchestrator.Options) (*Coverage, error) {
	all := *o
	all.Selection = selection.Selection{Datasets: o.Selection.Datasets}
	jobs, err := orchestrator.Choose(ctx, []string{path}, &all)
	if err != nil {
		return nil, err
	}
	c := &Coverage{Path: task.Printable(path), Cases: []CaseCoverage{}}
	for i := range jobs {
		c.Tasks = append(c.Tasks, readTask(task.Found{Dir: jobs[i].Dir, Err: jobs[i].Err}))
	}
	return c, nil
}
