package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// Find returns the task folders that paths stand for: a folder with a task.toml stands for itself, broken or not, and
// any other folder for its direct children with a task.toml, sorted by name. Links to folders are followed. A task
// that is reached twice is returned once, by the first path. Every error is a *NoTaskError.
func Find(paths []string) ([]string, error) {
	var found []string
	var seen []os.FileInfo
	for _, path := range paths {
		tasks, err := findIn(filepath.Clean(path))
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			info, err := os.Stat(t)
			if err != nil {
				return nil, &NoTaskError{Path: t, Reason: "cannot be read", Err: err}
			}
			if !contains(seen, info) {
				found, seen = append(found, t), append(seen, info)
			}
		}
	}
	return found, nil
}

func contains(seen []os.FileInfo, info os.FileInfo) bool {
	for _, s := range seen {
		if os.SameFile(s, info) {
			return true
		}
	}
	return false
}

func findIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &NoTaskError{Path: path, Reason: "there is no such folder"}
	case err != nil:
		return nil, &NoTaskError{Path: path, Reason: "cannot be read", Err: err}
	case !info.IsDir():
		return nil, &NoTaskError{Path: path, Reason: "it is a file; name the folder that holds task.toml"}
	case hasConfig(path):
		return []string{path}, checkPath(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &NoTaskError{Path: path, Reason: "cannot be listed", Err: err}
	}
	var found []string
	for _, e := range entries {
		child := filepath.Join(path, e.Name())
		if info, err := os.Stat(child); err != nil || !info.IsDir() || !hasConfig(child) {
			continue
		}
		if err := checkPath(child); err != nil {
			return nil, err
		}
		found = append(found, child)
	}
	if len(found) == 0 {
		return nil, &NoTaskError{Path: path, Reason: "it holds neither a task.toml nor folders with one"}
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
