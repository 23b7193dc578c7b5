package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/check"
)

// usual makes a task of the usual size, with some files of its own.
func usual(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS("testdata/usual")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOneBadFolderHidesNothingOfTheOthers(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	want := map[string]string{"line\nbreak": "bad_name", "not\xffutf8": "bad_name", "folder": "config_invalid", "pipe": "config_invalid", "loop": "config_invalid", "huge": "config_invalid",
		"latin": "config_invalid", "twice": "duplicate_case", "good": ""}
	for _, name := range []string{"line\nbreak", "not\xffutf8", "folder", "pipe", "loop", "good"} {
		usual(t, at(name), nil)
	}
	usual(t, at("first"), map[string]string{"task.toml": "[metadata.eval]\ncase = \"same\"\n"})
	usual(t, at("twice"), map[string]string{"task.toml": "[metadata.eval]\ncase = \"same\"\n", "tests/test.sh": strings.Repeat("echo '", 200_000)})
	usual(t, at("latin"), map[string]string{"task.toml": "[task]\ndescription = \"\xe9\"\n"})
	usual(t, at("huge"), map[string]string{"task.toml": strings.Repeat("# long\n", 1<<20)})
	for _, name := range []string{"folder", "pipe", "loop"} {
		if err := os.Remove(at(name + "/task.toml")); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{os.Mkdir(at("folder/task.toml"), 0o755), syscall.Mkfifo(at("pipe/task.toml"), 0o644), os.Symlink("task.toml", at("loop/task.toml"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tasks := static(t, false, top)
	if len(tasks) != len(want)+1 {
		t.Errorf("%d tasks", len(tasks))
	}
	for _, task := range tasks {
		code, listed := want[filepath.Base(task.Dir)]
		if !listed {
			continue
		}
		if code == "" {
			if task.Invalid || check.Worst(task.Findings, check.Warning) {
				t.Errorf("%q: %s", task.Dir, brief(task))
			}
			continue
		}
		if !task.Invalid || !slices.ContainsFunc(task.Findings, func(f check.Finding) bool { return f.Code == code && f.Severity == check.Error }) {
			t.Errorf("%q: want %s and got %s", task.Dir, code, brief(task))
		}
		for _, f := range task.Findings {
			if line := f.String(); strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("a finding breaks the line: %q", line)
			}
		}
	}
}

func TestWhatLeadsOutOfTheFolderIsNotRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "task")
	usual(t, dir, nil)
	secret := filepath.Join(filepath.Dir(dir), "secret.sh")
	if err := os.WriteFile(secret, []byte("#!/bin/sh\nif\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "tests", "more.sh")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tests/test.sh"), []byte("#!/bin/sh\n. /tests/more.sh\necho 0 >/logs/verifier/reward.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range static(t, false, dir)[0].Findings {
		if strings.Contains(f.File, "more.sh") && f.Code == "script_syntax" {
			t.Errorf("%s", &f)
		}
	}
}
