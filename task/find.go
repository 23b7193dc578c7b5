package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// ConfigName is the name of the file that makes a folder a task.
const ConfigName = "task.toml"

// NoTaskError says that a path given by a person leads to no task.
type NoTaskError struct {
	Path string
	// Reason is a clause such as "holds neither a task.toml nor folders with one".
	Reason string
	// Err is the file system's error, if there is one.
	Err error
}

// Error says what is at the path instead.
func (e *NoTaskError) Error() string {
	s := "no task at " + printable(e.Path) + ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the file system's error.
func (e *NoTaskError) Unwrap() error { return e.Err }

// Found is a task folder, or a folder that cannot be used as one.
type Found struct {
	Dir string
	// Err is a *NoTaskError, or nil.
	Err error
}

// Find returns the task folders that paths stand for: a folder with a task.toml stands for itself, broken or not, and
// any other folder for its direct children with a task.toml, sorted by name. The folder of an eval suite, and the root of
// a recipe with one, stand for the tasks in the folders of its runners as well (see SuiteAt). Links to folders are followed. A task
// that is reached twice is returned once, by the first path. A folder whose name cannot be used, or that cannot be looked
// into, is returned with its error, so that it does not hide the others. The error returned is about a path that leads to
// no task at all; it is a *NoTaskError.
func Find(paths []string) ([]Found, error) {
	var found []Found
	seen := seenFolders{}
	for _, path := range paths {
		tasks, err := findIn(filepath.Clean(path))
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			info, err := os.Stat(t.Dir)
			switch {
			case err != nil:
				found = append(found, Found{t.Dir, &NoTaskError{Path: t.Dir, Reason: "cannot be read", Err: err}})
			case !seen.before(info):
				found = append(found, t)
			}
		}
	}
	return found, nil
}

// seenFolders holds folders by what tells them apart, so that many are compared fast.
type seenFolders map[fileID]bool

type fileID struct{ device, inode uint64 }

// before says whether a folder was asked about before.
func (s seenFolders) before(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	id := fileID{uint64(st.Dev), st.Ino} //nolint:unconvert // it has another type on other systems
	old := s[id]
	s[id] = true
	return old
}

func findIn(path string) ([]Found, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &NoTaskError{Path: path, Reason: "there is no such folder"}
	case err != nil:
		return nil, &NoTaskError{Path: path, Reason: "cannot be read", Err: err}
	case !info.IsDir():
		return nil, &NoTaskError{Path: path, Reason: "it is a file; name the folder that holds task.toml"}
	case hasConfig(path):
		return []Found{{path, checkPath(path)}}, nil
	}
	found, err := children(path)
	if err != nil {
		return nil, err
	}
	if s := SuiteAt(path); s != nil {
		for _, t := range s.Tasks() {
			found = append(found, t.Found)
		}
	}
	if len(found) == 0 {
		return nil, &NoTaskError{Path: path, Reason: "it holds neither a task.toml nor folders with one"}
	}
	return found, nil
}

// children returns the tasks that are direct children of a folder, sorted by name.
func children(dir string) ([]Found, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &NoTaskError{Path: dir, Reason: "cannot be listed", Err: err}
	}
	var found []Found
	for _, e := range entries {
		child := filepath.Join(dir, e.Name())
		if info, err := os.Stat(child); err != nil || !info.IsDir() {
			continue
		}
		_, err := os.Lstat(filepath.Join(child, ConfigName))
		switch {
		case errors.Is(err, fs.ErrPermission):
			found = append(found, Found{child, &NoTaskError{Path: child, Reason: "the folder cannot be looked into", Err: err}})
		case err == nil:
			found = append(found, Found{child, checkPath(child)})
		}
	}
	return found, nil
}

// hasConfig asks for the name alone: a link that leads nowhere makes a broken task, not no task.
func hasConfig(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ConfigName))
	return err == nil
}

// checkPath refuses paths that cannot be shown on one line or written as text.
func checkPath(path string) error {
	if hasControl(path) || !utf8.ValidString(path) {
		return &NoTaskError{Path: path, Reason: fmt.Sprintf("the path %q holds control characters or is not UTF-8; rename the folder", path)}
	}
	return nil
}

// Printable returns s as it is, or quoted where it holds anything that would break a line or a terminal.
func Printable(s string) string { return printable(s) }
