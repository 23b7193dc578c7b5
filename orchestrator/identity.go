package orchestrator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// caseFile sees that the case which a task names exists, when the task lies below an evals folder: its file is evals/cases/<id>.md.
func caseFile(t *task.Task) error {
	id := t.Config.Eval.Case
	if id == "" {
		return nil
	}
	for dir := filepath.Dir(t.Dir); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) != "evals" {
			continue
		}
		file := filepath.Join(dir, "cases", id+".md")
		if _, err := os.Stat(file); err != nil {
			p := t.Config.Where("metadata.eval.case")
			return &UnsupportedError{File: filepath.Join(t.Dir, "task.toml"), Line: p.Line, Column: p.Column, Key: "metadata.eval.case",
				What: fmt.Sprintf("case %q is not there: %s is missing", id, file)}
		}
		return nil
	}
	return nil
}

// collisions refuses tasks that would be one case in the record: two that name the same case, or one whose id without a case is another's case.
func collisions(jobs []Job) error {
	by := map[string]Job{}
	var errs []error
	for _, j := range jobs {
		id := j.legacy
		if j.Plan != nil {
			id = j.Plan.CaseID
		}
		if other, ok := by[id]; ok {
			errs = append(errs, fmt.Errorf("case %q is implemented twice: by %s and by %s; give each a case of its own with [metadata.eval] case", id, other.Dir, j.Dir))
		}
		by[id] = j
	}
	for _, j := range jobs {
		if other, ok := by[j.legacy]; ok && other.Dir != j.Dir {
			errs = append(errs, fmt.Errorf("the legacy id %q of %s is the case of %s, so that older records could not be told apart; rename one of them", j.legacy, j.Dir, other.Dir))
		}
	}
	if len(errs) > 0 {
		return &UsageError{Cause: errors.Join(errs...)}
	}
	return nil
}

// brokenCase is the case of a task that could not be planned.
func brokenCase(j Job, m *mask.Masker) Case {
	return Case{ID: j.legacy, LegacyID: j.legacy, Runner: "harbor", Task: TaskRef{Path: absolute(j.Dir), Name: filepath.Base(absolute(j.Dir))}, Status: Incomplete,
		Error:  &Fault{Code: CodeSetupFailed, Phase: "setup", Step: "plan", Message: m.String(j.Err.Error())},
		Scores: []verifier.Score{}, Warnings: []Warning{}, Artifacts: Artifacts{Fakes: []string{}}}
}
