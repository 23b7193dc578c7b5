package task_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/task"
)

// aTask is a folder with all that a task's folder may hold.
func aTask(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "task")
	for name, text := range map[string]string{"task.toml": "version = \"1.0\"\n", "tests/test.sh": "#!/bin/sh\n", ".git/config": "x", "environment/Dockerfile": "FROM a\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "tests/test.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "environment/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "environment/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCopy(t *testing.T) {
	t.Parallel()
	dir, to := aTask(t), filepath.Join(t.TempDir(), "copy")
	if err := task.Copy(dir, to, digest(t, dir)); err != nil {
		t.Fatal(err)
	}
	if digest(t, to) != digest(t, dir) {
		t.Error("the copy has another digest")
	}
	if target, err := os.Readlink(filepath.Join(to, "environment/link")); err != nil || target != "/etc/passwd" {
		t.Errorf("the link leads to %q, error %v", target, err)
	}
	if _, err := os.Stat(filepath.Join(to, "environment/empty")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(to, ".git")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the repository was copied: %v", err)
	}
}

func TestCopyOfWhatIsNotTheTaskAnyMore(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"a file was edited":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "task.toml"), []byte("x"), 0o600) },
		"a file is gone":      func(dir string) error { return os.Remove(filepath.Join(dir, "tests/test.sh")) },
		"a file is a pipe":    func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600) },
		"the folder is gone":  os.RemoveAll,
		"an execute bit more": func(dir string) error { return os.Chmod(filepath.Join(dir, "task.toml"), 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, to := aTask(t), filepath.Join(t.TempDir(), "copy")
			sum := digest(t, dir)
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			if err := task.Copy(dir, to, sum); err == nil {
				t.Error("it was copied")
			}
			if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something is left: %v", err)
			}
		})
	}
}
