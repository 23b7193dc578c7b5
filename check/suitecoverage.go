package check

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/seatrial/seatrial/task"
)

// Coverage says which tasks are at a path, and which cases they implement.
type Coverage struct {
	// Path is the path as it was given.
	Path string `json:"path"`
	// Suite is the suite's folder; empty where the path is no suite, and then there are no cases.
	Suite string `json:"suite"`
	// Cases are sorted by id, Tasks by path.
	Cases []CaseCoverage `json:"cases"`
	Tasks []TaskCoverage `json:"tasks"`
}

// CaseCoverage is one case of a suite.
type CaseCoverage struct {
	ID   string `json:"id"`
	File string `json:"file"`
	// Tasks are the folders of the tasks that implement it; none = it is uncovered.
	Tasks []string `json:"tasks"`
}

// TaskCoverage is one task, as far as it can be read.
type TaskCoverage struct {
	// Dir is the task's folder below the path that was given, fit to be shown.
	Dir string `json:"dir"`
	// Runner is the folder of implementations that it is in; empty for a task outside of any.
	Runner string `json:"runner"`
	// ID is what records know it by: the case, or else LegacyID.
	ID       string `json:"id"`
	LegacyID string `json:"legacy_id"`
	// Case is the case that it names; empty when it names none.
	Case string `json:"case"`
	// CaseMissing says that the suite has no such case.
	CaseMissing bool `json:"case_missing,omitempty"`
	// Steps is how many it has; 0 = it is not divided into steps.
	Steps int `json:"steps"`
	// Error says in one line or several why it cannot be loaded; empty when it can.
	Error string `json:"error,omitempty"`

	path string // the folder as it is
	line int    // of the key that names the case
}

// Covered counts the cases that have a task.
func (c *Coverage) Covered() int {
	n := 0
	for _, one := range c.Cases {
		if len(one.Tasks) > 0 {
			n++
		}
	}
	return n
}

// survey reads the tasks at a path, several at a time. The error is about the path.
func survey(path string, s *task.Suite) ([]TaskCoverage, error) {
	found, err := task.Find([]string{path})
	if err != nil && (s == nil || len(s.Tasks()) > 0) {
		return nil, err
	}
	runner := map[string]string{}
	if s != nil {
		for _, t := range s.Tasks() {
			runner[t.Dir] = t.Runner
		}
	}
	all := make([]TaskCoverage, len(found))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range found {
		g.Go(func() error {
			all[i] = readTask(f)
			all[i].Runner = runner[f.Dir]
			return nil
		})
	}
	_ = g.Wait() // each task has its own error
	slices.SortStableFunc(all, func(a, b TaskCoverage) int { return cmp.Compare(a.Dir, b.Dir) })
	return all, nil
}

func readTask(f task.Found) TaskCoverage {
	abs, err := filepath.Abs(f.Dir)
	if err != nil {
		abs = f.Dir
	}
	c := TaskCoverage{Dir: task.Printable(f.Dir), path: f.Dir, LegacyID: task.Printable(filepath.Base(abs))}
	if f.Err != nil {
		c.Error, c.ID = f.Err.Error(), c.LegacyID
		return c
	}
	t, err := task.Load(f.Dir, task.Options{Lax: true})
	if err != nil {
		c.Error = err.Error()
		name, id := task.Named(f.Dir)
		c.LegacyID, c.Case = cmp.Or(name, c.LegacyID), id
	} else {
		c.LegacyID, c.Case, c.Steps = cmp.Or(t.Config.Task.Name, c.LegacyID), t.Config.Eval.Case, len(t.Config.Steps)
		c.line = t.Config.Where("metadata.eval.case").Line
	}
	c.ID = cmp.Or(c.Case, c.LegacyID)
	return c
}

// cases lists a suite's cases and which tasks implement them.
func cases(s *task.Suite, tasks []TaskCoverage) ([]CaseCoverage, []Finding) {
	names, err := s.CaseNames()
	if err != nil {
		return nil, []Finding{suiteFinding(Finding{Code: "suite_unreadable", File: task.Printable(s.Cases), Message: err.Error()})}
	}
	by := map[string][]string{}
	for _, t := range tasks {
		if t.Case != "" {
			by[t.Case] = append(by[t.Case], t.Dir)
		}
	}
	var all []CaseCoverage
	var found []Finding
	for _, name := range names {
		file := task.Printable(s.CaseFile(name))
		if !task.IsCaseID(name) {
			found = append(found, suiteFinding(Finding{Code: "case_id_invalid", File: file, Message: "the name of the file, without .md, is no id of a case, so no task can name it"}))
			continue
		}
		c := CaseCoverage{ID: name, File: file, Tasks: append([]string{}, by[name]...)}
		if len(c.Tasks) == 0 {
			found = append(found, suiteFinding(Finding{Code: "case_uncovered", File: file, Message: "no task implements the case " + name}))
		}
		all = append(all, c)
	}
	return all, found
}
