package task

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Suite says where the parts of an eval suite lie: one file for each case, and the folders with the tasks that implement them, one for each runner. Its paths
// are below the path that the caller gave, or beside it.
type Suite struct {
	// Root is the folder that package.json is in, or would be; what that file says is relative to it.
	Root string
	// Dir is the suite's own folder, usually evals.
	Dir string
	// Cases has a file ID.md for each case. Lib is shared code, Sources the origins of derived data, Runs the records of runs.
	Cases, Lib, Sources, Runs string
	// Runners are the folders of implementations, sorted by name.
	Runners []Runner
	// Declared says that package.json has a pi.evals, which asks for the checks of the layout.
	Declared bool
	// Problems are what is wrong with package.json. It is then read as if that were not there.
	Problems []PackageProblem
}

// Runner is a folder of implementations.
type Runner struct{ Name, Dir string }

// Names of the folders of a suite, unless package.json says otherwise.
const (
	suiteDir   = "evals"
	casesDir   = "cases"
	libDir     = "lib"
	sourcesDir = "sources"
	runsDir    = "eval-runs"
)

// SuiteAt returns the suite that a path stands for, or nil. The path is the suite's own folder, which is named evals or has case files in cases/, or the root of
// the recipe, whose suite is in evals/ and has case files, or is declared by pi.evals in package.json.
func SuiteAt(path string) *Suite {
	path = filepath.Clean(path)
	if hasConfig(path) {
		return nil
	}
	if p := readPackage(path); p.declared || holdsCases(filepath.Join(path, suiteDir)) {
		return suiteOf(path, filepath.Join(path, suiteDir), p)
	}
	if holdsCases(path) || filepath.Base(absolutePath(path)) == suiteDir {
		root := filepath.Join(path, "..")
		return suiteOf(root, path, readPackage(root))
	}
	return nil
}

func absolutePath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}

// holdsCases says whether a folder has a folder cases with a file in it that may be a case's.
func holdsCases(dir string) bool {
	if hasConfig(filepath.Join(dir, casesDir)) {
		return false
	}
	entries, err := os.ReadDir(filepath.Join(dir, casesDir))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), caseSuffix) {
			return true
		}
	}
	return false
}

func suiteOf(root, dir string, p packageFile) *Suite {
	s := &Suite{Root: root, Dir: dir, Declared: p.declared, Problems: p.problems,
		Cases: filepath.Join(dir, casesDir), Lib: filepath.Join(dir, libDir), Sources: filepath.Join(dir, sourcesDir), Runs: filepath.Join(root, runsDir)}
	for key, into := range map[string]*string{"cases": &s.Cases, "lib": &s.Lib, "sources": &s.Sources, "runs": &s.Runs} {
		if given, ok := p.paths[key]; ok {
			*into = filepath.Join(root, filepath.FromSlash(given))
		}
	}
	if p.runners == nil {
		s.findRunners()
		return s
	}
	for _, r := range p.runners {
		s.Runners = append(s.Runners, Runner{r.Name, filepath.Join(root, filepath.FromSlash(r.Dir))})
	}
	return s
}

// findRunners takes every folder of the suite for a runner's that is not one of the others, or a task itself.
func (s *Suite) findRunners() {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, dir := e.Name(), filepath.Join(s.Dir, e.Name())
		switch {
		case strings.HasPrefix(name, "."), name == casesDir, name == libDir, name == sourcesDir, dir == s.Cases, dir == s.Lib, dir == s.Sources, dir == s.Runs:
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !hasConfig(dir) {
			s.Runners = append(s.Runners, Runner{name, dir})
		}
	}
}

// Implementation is a task of a suite.
type Implementation struct {
	Found
	// Runner is the name of the folder of implementations that it is in; empty for a task in the suite's own folder.
	Runner string
}

// Tasks returns the suite's tasks: those in its own folder, and those in the folders of its runners. A folder that cannot be looked into is returned with its error;
// one that is not there has none.
func (s *Suite) Tasks() []Implementation {
	var all []Implementation
	for _, r := range append([]Runner{{"", s.Dir}}, s.Runners...) {
		found, err := children(r.Dir)
		if err != nil && r.Name != "" && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, Implementation{Found{r.Dir, err}, r.Name})
		}
		for _, f := range found {
			all = append(all, Implementation{f, r.Name})
		}
	}
	return all
}
