package orchestrator

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/mask"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/verifier"
)

// relativeNames names task folders by their last element where that tells them apart, else by their path below the folder that they have
// in common, with slashes.
func relativeNames(dirs []string) []string {
	names := make([]string, len(dirs))
	seen := map[string]bool{}
	unique := true
	for i, d := range dirs {
		names[i] = filepath.Base(absolute(d))
		unique = unique && !seen[names[i]]
		seen[names[i]] = true
	}
	if unique {
		return names
	}
	common := filepath.Dir(absolute(dirs[0]))
	for _, d := range dirs {
		for !strings.HasPrefix(absolute(d)+string(filepath.Separator), strings.TrimSuffix(common, string(filepath.Separator))+string(filepath.Separator)) {
			common = filepath.Dir(common)
		}
	}
	for i, d := range dirs {
		if rel, err := filepath.Rel(common, absolute(d)); err == nil {
			names[i] = filepath.ToSlash(rel)
		}
	}
	return names
}

// shortNames names tasks of several places by the last element of their paths, or by as many of the last ones as tell them apart, with slashes. What is above
// all of them, such as a folder of this machine, is in no name then.
func shortNames(paths []string) []string {
	names, parts := make([]string, len(paths)), make([][]string, len(paths))
	for i, p := range paths {
		parts[i] = strings.Split(strings.Trim(filepath.ToSlash(absolute(p)), "/"), "/")
	}
	clash := make([]bool, len(paths))
	for i := range clash {
		clash[i] = true
	}
	for n := 1; slices.Contains(clash, true); n++ {
		count, longer := map[string]int{}, false
		for i, p := range parts {
			if clash[i] {
				names[i] = strings.Join(p[max(0, len(p)-n):], "/")
				longer = longer || len(p) > n
			}
			count[names[i]]++
		}
		for i := range clash {
			clash[i] = longer && count[names[i]] > 1
		}
	}
	return names
}

func absolute(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Clean(dir)
	}
	return abs
}

// namer gives folder names that are safe everywhere and unique, letter case aside.
type namer struct{ used map[string]bool }

func newNamer() *namer { return &namer{used: map[string]bool{}} }

func (n *namer) name(text string) string {
	const most = 48
	base := sidecar.Slug(text, most)
	name := base
	for i := 2; n.used[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	n.used[name] = true
	return name
}

// caseFile sees that the case which a task names exists, when the task lies in a suite.
func caseFile(t *task.Task) error {
	id := t.Config.Eval.Case
	if id == "" {
		return nil
	}
	s := task.SuiteOf(t.Dir)
	if s == nil || s.HasCase(id) {
		return nil
	}
	p := t.Config.Where("metadata.eval.case")
	return &UnsupportedError{File: filepath.Join(t.Dir, "task.toml"), Line: p.Line, Column: p.Column, Key: "metadata.eval.case",
		What: fmt.Sprintf("case %q is not there: %s is missing", id, s.CaseFile(id))}
}

// collisions tells tasks that would be one case in the record: two that name the same case, or one whose id without a case is another's case.
func collisions(jobs []Job) {
	by := map[string]*Job{}
	for i := range jobs {
		j := &jobs[i]
		id := j.legacy
		if j.Plan != nil {
			id = j.Plan.CaseID
		}
		if other, ok := by[id]; ok {
			j.Clash = fmt.Errorf("case %q is implemented twice: by %s and by %s; give each a case of its own with [metadata.eval] case", id, other.shownDir(), j.shownDir())
		}
		by[id] = j
	}
	for i := range jobs {
		j := &jobs[i]
		if other, ok := by[j.legacy]; ok && other.Dir != j.Dir {
			j.Clash = errors.Join(j.Clash, fmt.Errorf("the legacy id %q of %s is the case of %s, so that older records could not be told apart; rename one of them", j.legacy, j.shownDir(), other.shownDir()))
		}
	}
}

// brokenCase is the case of a task that could not be planned.
func brokenCase(j Job, m *mask.Masker) Case {
	return Case{ID: j.legacy, LegacyID: j.legacy, Runner: "harbor", Task: TaskRef{Path: task.Printable(absolute(j.Dir)), Name: task.Printable(filepath.Base(absolute(j.Dir))), Source: j.source}, Status: Incomplete,
		Error:  &Fault{Code: CodeSetupFailed, Phase: "setup", Step: "plan", Message: m.String(j.Err.Error())},
		Scores: []verifier.Score{}, Warnings: []Warning{}, Artifacts: Artifacts{Fakes: []string{}}}
}
