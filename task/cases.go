package task

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const caseSuffix = ".md"

// IsCaseID says whether a text can be the id of a case: up to 128 lower-case letters, digits, ".", "_" and "-", the first a letter or digit.
func IsCaseID(s string) bool { return len(s) <= 128 && isWord(s) && strings.ToLower(s) == s }

// CaseFile is where the file of a case lies.
func (s *Suite) CaseFile(id string) string { return filepath.Join(s.Cases, id+caseSuffix) }

// HasCase says whether the file of a case is there. No link out of the folder of the cases is followed.
func (s *Suite) HasCase(id string) bool {
	if !IsCaseID(id) {
		return false
	}
	root, err := os.OpenRoot(s.Cases)
	if err != nil {
		return false
	}
	defer root.Close()
	info, err := root.Stat(id + caseSuffix)
	return err == nil && info.Mode().IsRegular()
}

// CaseNames lists the names of the case files without their ending, sorted, those that are no ids included. README.md is none. A folder that is not there has none.
func (s *Suite) CaseNames() ([]string, error) {
	root, err := os.OpenRoot(s.Cases)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &NoTaskError{Path: s.Cases, Reason: "the folder of the cases cannot be opened", Err: err}
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, &NoTaskError{Path: s.Cases, Reason: "the folder of the cases cannot be listed", Err: err}
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), caseSuffix)
		if !ok || strings.EqualFold(name, "readme") {
			continue
		}
		if info, err := root.Stat(e.Name()); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// SuiteOf returns the suite that a task's folder lies in, or nil: the nearest one that has the folder below its own or below a runner's.
func SuiteOf(dir string) *Suite {
	const most = 64 // folders above the task's
	dir = absolutePath(dir)
	at := dir
	for range most {
		up := filepath.Dir(at)
		if up == at {
			return nil
		}
		at = up
		if s := SuiteAt(at); s != nil && s.has(dir) {
			return s
		}
	}
	return nil
}

// has says whether an absolute path is below a folder that holds the suite's tasks.
func (s *Suite) has(dir string) bool {
	for _, r := range append([]Runner{{"", s.Dir}}, s.Runners...) {
		if strings.HasPrefix(dir, strings.TrimSuffix(absolutePath(r.Dir), string(filepath.Separator))+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
