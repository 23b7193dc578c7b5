package orchestrator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/seatrial/seatrial/task"
)

// retested makes, below a new folder, a copy of a task in which the tests are those of another: the tests folder, and those of the steps. The caller removes the folder.
func retested(recorded, tests string) (folder, dir string, err error) {
	sum, err := task.Digest(recorded)
	if err != nil {
		return "", "", &UsageError{Cause: err}
	}
	t, err := task.Load(tests, task.Options{Lax: true})
	if err != nil {
		return "", "", &UsageError{Cause: err}
	}
	if folder, err = os.MkdirTemp("", "seatrial-regrade-"); err != nil {
		return "", "", fmt.Errorf("a folder for the task with other tests: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder)
		}
	}()
	dir = filepath.Join(folder, filepath.Base(recorded))
	if err := task.Copy(recorded, dir, sum); err != nil {
		return folder, "", err
	}
	whole := filepath.Join(folder, "tests")
	now, err := task.Digest(t.Dir)
	if err != nil {
		return folder, "", &UsageError{Cause: err}
	}
	if err := task.Copy(t.Dir, whole, now); err != nil {
		return folder, "", err
	}
	for _, name := range testFolders(dir, whole) {
		to := filepath.Join(dir, name)
		if err := os.RemoveAll(to); err != nil {
			return folder, "", fmt.Errorf("replace the tests: %w", err)
		}
		switch err := os.Rename(filepath.Join(whole, name), to); {
		case errors.Is(err, fs.ErrNotExist): // they are gone today
		case err != nil:
			return folder, "", fmt.Errorf("replace the tests: %w", err)
		}
	}
	return folder, dir, nil
}

// testFolders are the folders for tests of a task as it was recorded: those that both may have.
func testFolders(dir, other string) []string {
	names := []string{"tests"}
	steps, err := os.ReadDir(filepath.Join(dir, "steps"))
	if err != nil {
		return names
	}
	for _, s := range steps {
		if st, err := os.Lstat(filepath.Join(other, "steps", s.Name())); err == nil && st.IsDir() && s.IsDir() {
			names = append(names, path.Join("steps", s.Name(), "tests"))
		}
	}
	return names
}
