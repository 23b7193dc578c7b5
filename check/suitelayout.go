package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/task"
)

// harborRunner is the runner whose implementations are tasks, even where there are none yet.
const harborRunner = "harbor"

// layout finds implementations without their task.toml, and files of evals outside of every folder for such.
func layout(s *task.Suite) []Finding {
	var found []Finding
	for _, r := range s.Runners {
		found = append(found, implementations(r)...)
	}
	found = append(found, strayFiles(s)...)
	return append(found, strayTasks(s)...)
}

// implementations finds folders among a runner's tasks that are none. Other runners have other files, so a folder without any task is left alone.
func implementations(r task.Runner) []Finding {
	entries, err := os.ReadDir(r.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{suiteFinding(Finding{Code: "eval_path_invalid", File: task.Printable(r.Dir), Message: fmt.Sprintf("the folder of the runner %s is not there", r.Name)})}
	case err != nil:
		return []Finding{suiteFinding(Finding{Code: "suite_unreadable", File: task.Printable(r.Dir), Message: "the folder cannot be listed"})}
	}
	var bare []string
	tasks := 0
	for _, e := range entries {
		dir := filepath.Join(r.Dir, e.Name())
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if hasConfig(dir) {
			tasks++
		} else {
			bare = append(bare, dir)
		}
	}
	if tasks == 0 && r.Name != harborRunner {
		return nil
	}
	var found []Finding
	for _, dir := range bare {
		what := "the folder is among the implementations of " + r.Name + ", and has no task.toml"
		if below, err := task.Find([]string{dir}); err == nil && len(below) > 0 {
			what += fmt.Sprintf("; the tasks in it, such as %s, are one folder too deep to be found", task.Printable(below[0].Dir))
		}
		found = append(found, suiteFinding(Finding{Code: "implementation_without_config", File: task.Printable(dir), Message: what}))
	}
	return found
}

func hasConfig(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, task.ConfigName))
	return err == nil
}

// places are the folders for eval files.
func places(s *task.Suite) []string {
	all := []string{s.Cases, s.Lib, s.Sources, s.Runs}
	for _, r := range s.Runners {
		all = append(all, r.Dir)
	}
	return all
}

// strayFiles finds what lies in the suite's own folder beside its parts.
func strayFiles(s *task.Suite) []Finding {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil // it may be all elsewhere
	}
	var found []Finding
	for _, e := range entries {
		name, at := e.Name(), filepath.Join(s.Dir, e.Name())
		if strings.HasPrefix(name, ".") || strings.HasPrefix(strings.ToLower(name), "readme") || holds(at, places(s)) || e.IsDir() && hasConfig(at) {
			continue
		}
		found = append(found, suiteFinding(Finding{Code: "eval_file_outside", File: task.Printable(at),
			Message: fmt.Sprintf("%s is none of the folders for cases, implementations, lib and sources", task.Printable(at))}))
	}
	return found
}

// holds says whether a path is one of the places, or on the way to one.
func holds(at string, places []string) bool {
	return slices.ContainsFunc(places, func(p string) bool { return p == at || strings.HasPrefix(p, at+string(filepath.Separator)) })
}

// mostWalked bounds the entries of a recipe that are looked at, and deepest how far down.
const (
	mostWalked = 50_000
	deepest    = 8
)

// strayTasks finds tasks elsewhere in the recipe. Links are not followed.
func strayTasks(s *task.Suite) []Finding {
	var found []Finding
	seen, own := 0, append(places(s), s.Dir)
	_ = filepath.WalkDir(s.Root, func(at string, d fs.DirEntry, err error) error {
		if seen++; seen > mostWalked {
			return fs.SkipAll
		}
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // what cannot be looked into has no tasks that could be run
		}
		rel, err := filepath.Rel(s.Root, at)
		name := d.Name()
		switch {
		case err != nil || rel == ".":
			return nil //nolint:nilerr // the root itself
		case strings.HasPrefix(name, "."), name == "node_modules", name == "vendor", slices.Contains(own, at), strings.Count(rel, string(filepath.Separator)) >= deepest:
			return fs.SkipDir
		case hasConfig(at) && looksLikeTask(at):
			found = append(found, suiteFinding(Finding{Code: "eval_file_outside", File: task.Printable(at), Message: "the task lies outside of the folders of implementations, so that it is not run with the suite"}))
			return fs.SkipDir
		}
		return nil
	})
	return found
}

// looksLikeTask tells a task from something else that has a task.toml.
func looksLikeTask(dir string) bool {
	for _, name := range []string{"environment", "tests", "steps", "instruction.md"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
