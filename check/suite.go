package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/task"
)

// Suite says what is wrong with how the tasks and cases at a path go together, and which tasks implement which cases. The path may be a suite, the root of a
// recipe with one, a folder of tasks or a task; the layout and the cover of cases are looked at for a suite alone. What is wrong with a task by itself is not told:
// it is in the task's Error. The error returned is about a path that leads to nothing.
func Suite(path string) ([]Finding, *Coverage, error) {
	s := task.SuiteAt(path)
	tasks, err := survey(path, s)
	if err != nil {
		return nil, nil, err
	}
	c := &Coverage{Path: task.Printable(path), Cases: []CaseCoverage{}, Tasks: tasks}
	found := append(clashes(tasks), missing(tasks)...)
	if s != nil {
		c.Suite = task.Printable(s.Dir)
		covered, more := cases(s, tasks)
		c.Cases = append(c.Cases, covered...)
		found = append(found, more...)
		found = append(found, packageFindings(s)...)
		if s.Declared {
			found = append(found, layout(s)...)
		}
	}
	Sort(found)
	return found, c, nil
}

// Together joins what was found in tasks one by one with what was found in how they go together. What both tell is told once, in the words of the latter.
func Together(tasks, suite []Finding) []Finding {
	told := map[[2]string]bool{}
	for _, f := range suite {
		told[[2]string{f.Code, f.Task}] = true
	}
	all := slices.DeleteFunc(slices.Clone(tasks), func(f Finding) bool {
		switch {
		case f.Code == "duplicate_case":
			return told[[2]string{"duplicate_case", f.Task}] || told[[2]string{"legacy_id_clash", f.Task}]
		case f.Key == caseKey:
			return told[[2]string{"case_missing", f.Task}]
		}
		return false
	})
	all = append(all, suite...)
	Sort(all)
	return all
}

// Suites does as Suite does for several paths, of which some may be patterns, and tells nothing twice. Files, which list tasks from elsewhere, are passed over.
func Suites(paths []string) ([]Finding, error) {
	paths, err := task.Expand(paths)
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			continue
		}
		found, _, err := Suite(p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	Sort(all)
	return slices.Compact(all), nil
}

// Join files what was found in how tasks go together with the tasks that it is about, and returns what is about none.
func Join(all []Task, suite []Finding) (rest []Finding) {
	for i := range all {
		t := &all[i]
		own := slices.DeleteFunc(slices.Clone(suite), func(f Finding) bool { return f.Task != task.Printable(t.Dir) })
		suite = slices.DeleteFunc(suite, func(f Finding) bool { return f.Task == task.Printable(t.Dir) })
		t.Findings = Together(t.Findings, own)
		t.Invalid = t.Invalid || slices.ContainsFunc(own, func(f Finding) bool {
			return f.Code == "duplicate_case" || f.Code == "legacy_id_clash" || f.Code == "case_missing"
		})
	}
	return suite
}

// OfNoTask returns the findings that are about no task.
func OfNoTask(all []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.Task != "" })
}

// caseKey is the key of task.toml that names a case.
const caseKey = "metadata.eval.case"

// clashes finds tasks that records could not tell apart: two of one runner for one case, or one whose legacy id is the case of another.
func clashes(tasks []TaskCoverage) []Finding {
	var found []Finding
	byID, byCase := map[[2]string]*TaskCoverage{}, map[string]*TaskCoverage{}
	for i := range tasks {
		t := &tasks[i]
		key := [2]string{t.Runner, t.ID}
		if other := byID[key]; other != nil {
			what := fmt.Sprintf("%s and %s both implement the case %q", other.Dir, t.Dir, t.ID)
			if t.Case == "" && other.Case == "" {
				what = fmt.Sprintf("%s and %s both have the name %q and name no case, so that they would be one in a record", other.Dir, t.Dir, t.ID)
			}
			found = append(found, Finding{Code: "duplicate_case", Severity: Error, Task: t.Dir, File: t.config(), Line: t.line, Key: t.key(), Message: what, Remedy: clashRemedy})
			continue
		}
		byID[key] = t
		if t.Case != "" && byCase[t.Case] == nil {
			byCase[t.Case] = t
		}
	}
	for i := range tasks {
		t := &tasks[i]
		if other := byCase[t.LegacyID]; other != nil && t.ID != other.ID {
			found = append(found, suiteFinding(Finding{Code: "legacy_id_clash", Task: t.Dir, File: t.config(),
				Message: fmt.Sprintf("the legacy id %q of %s is the case of %s, so that older records could not be told apart", t.LegacyID, t.Dir, other.Dir)}))
		}
	}
	return found
}

// missing finds, and marks, tasks whose case is not there.
func missing(tasks []TaskCoverage) []Finding {
	var found []Finding
	suites := map[string]*task.Suite{} // by the folder that a task is in
	for i := range tasks {
		t := &tasks[i]
		if t.Case == "" {
			continue
		}
		up := filepath.Dir(t.path)
		s, ok := suites[up]
		if !ok {
			s = task.SuiteOf(t.path)
			suites[up] = s
		}
		if s != nil && !s.HasCase(t.Case) {
			t.CaseMissing = true
			found = append(found, suiteFinding(Finding{Code: "case_missing", Task: t.Dir, File: t.config(), Line: t.line, Key: caseKey,
				Message: fmt.Sprintf("the case %q is not there: %s is missing", t.Case, task.Printable(s.CaseFile(t.Case)))}))
		}
	}
	return found
}

func (t *TaskCoverage) config() string { return task.Printable(filepath.Join(t.path, task.ConfigName)) }

// key is the key that names the case, where one does.
func (t *TaskCoverage) key() string {
	if t.Case == "" {
		return ""
	}
	return caseKey
}

// packageFindings are about package.json.
func packageFindings(s *task.Suite) []Finding {
	var found []Finding
	for _, p := range s.Problems {
		f := Finding{Code: "eval_path_invalid", File: task.Printable(filepath.Join(s.Root, task.PackageName)), Key: p.Key, Message: strings.TrimSpace(p.Key + " " + p.What)}
		if p.Unknown {
			f.Code, f.Message = "unknown_eval_key", p.Key+": "+p.What
		}
		found = append(found, suiteFinding(f))
	}
	return found
}
