package task_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/task"
)

func TestFoldersAreRead(t *testing.T) {
	for _, file := range glob(t, "testdata/folders/*/task.toml") {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			got, err := task.Load(dir, task.Options{})
			if err != nil {
				golden.Compare(t, dir+".golden", err.Error()+"\n")
				return
			}
			if want, _ := filepath.Abs(dir); got.Dir != want {
				t.Errorf("the folder is %s, want %s", got.Dir, want)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "name %s short %s dockerfile %v compose %v\ninstruction %q\n",
				got.Name, got.ShortName, got.HasDockerfile, got.HasCompose, got.Instruction)
			for _, p := range got.Parts {
				fmt.Fprintf(&b, "%+v\n", p)
			}
			for _, w := range got.Warnings {
				b.WriteString(string(w.Code) + " " + w.String() + "\n")
			}
			golden.Compare(t, dir+".golden", b.String())
		})
	}
}

// small is the least that makes a task.
func small() map[string]string {
	return map[string]string{
		"task.toml":              "",
		"instruction.md":         "Do it.\n",
		"environment/Dockerfile": "FROM scratch\n",
		"tests/test.sh":          "#!/bin/sh\n",
	}
}

func TestFoldersThatAreWrong(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string // in the error; empty means that the task is right
	}{
		"nothing is wrong": {func(*testing.T, string) {}, ""},
		"no task.toml":     {remove("task.toml"), "task.toml: the file is missing"},
		"task.toml is a folder": {func(t *testing.T, dir string) {
			remove("task.toml")(t, dir)
			write(t, dir, map[string]string{"task.toml/": ""})
		}, "task.toml: must be a file"},
		"task.toml is too large": {put("task.toml", strings.Repeat("#\n", task.MaxConfigSize)), "larger than 1048576 bytes"},
		"task.toml is a pipe": {func(t *testing.T, dir string) {
			remove("task.toml")(t, dir)
			if err := syscall.Mkfifo(filepath.Join(dir, "task.toml"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "task.toml: must be a file"},
		"task.toml is a link out of the folder": {link("task.toml", "/etc/hostname"), "task.toml: is a link that leads nowhere or out"},
		"no environment":                        {remove("environment"), "environment: the folder is missing"},
		"no environment but an image": {func(t *testing.T, dir string) {
			remove("environment")(t, dir)
			put("task.toml", "[environment]\ndocker_image = 'debian:12'\n")(t, dir)
		}, ""},
		"an empty environment":                     {remove("environment/Dockerfile"), "holds neither a Dockerfile nor a docker-compose.yaml"},
		"no instruction":                           {remove("instruction.md"), "instruction.md: the instruction is missing"},
		"an instruction that is too large":         {put("instruction.md", strings.Repeat("x", task.MaxInstructionSize+1)), "larger than"},
		"an instruction with NUL":                  {put("instruction.md", "a\x00b"), "not UTF-8 text"},
		"an instruction that is a link outside":    {link("instruction.md", "/etc/hostname"), "instruction.md: is a link"},
		"no test script":                           {remove("tests/test.sh"), "tests/test.sh: the test script is missing"},
		"no tests at all":                          {remove("tests"), "tests/test.sh: the test script is missing"},
		"tests is a file":                          {func(t *testing.T, dir string) { remove("tests")(t, dir); put("tests", "x")(t, dir) }, "tests: must be a folder"},
		"a test script that is a link outside":     {link("tests/test.sh", "/bin/sh"), "tests/test.sh: is a link"},
		"a test script that is a relative link up": {link("tests/test.sh", "../../../../bin/sh"), "tests/test.sh: is a link"},
		"a test script that is a link to nothing":  {link("tests/test.sh", "gone"), "tests/test.sh: is a link"},
		"a test script that is a link inside": {func(t *testing.T, dir string) {
			put("tests/real.sh", "#!/bin/sh\n")(t, dir)
			link("tests/test.sh", "real.sh")(t, dir)
		}, ""},
		"tests are a link outside": {func(t *testing.T, dir string) {
			remove("tests")(t, dir)
			if err := os.Symlink(t.TempDir(), filepath.Join(dir, "tests")); err != nil {
				t.Fatal(err)
			}
		}, "tests: is a link"},
		"a test script with Windows line endings": {put("tests/test.sh", "#!/bin/sh\r\necho\r\n"), "test.sh:1:10: line 1 ends in a carriage return (Windows line endings); convert the file to LF"},
		"a solution with Windows line endings":    {put("solution/solve.sh", "#!/bin/sh\r\n"), "solve.sh:1:10: line 1 ends in a carriage return"},
		"a step without a folder":                 {put("task.toml", "[[steps]]\nname = 'a'\n"), "steps/a: the folder of step a is missing"},
		"a step without an instruction": {func(t *testing.T, dir string) {
			put("task.toml", "[[steps]]\nname = 'a'\n")(t, dir)
			put("steps/a/tests/test.sh", "#!/bin/sh\n")(t, dir)
		}, "steps/a/instruction.md: the instruction is missing"},
		"a step without any test script": {func(t *testing.T, dir string) {
			put("task.toml", "[[steps]]\nname = 'a'\n")(t, dir)
			put("steps/a/instruction.md", "x")(t, dir)
			remove("tests")(t, dir)
		}, "steps/a/tests/test.sh: the test script is missing; neither steps/a/tests nor tests holds it"},
		"a step with the test script of the task": {func(t *testing.T, dir string) {
			put("task.toml", "[[steps]]\nname = 'a'\n")(t, dir)
			put("steps/a/instruction.md", "x")(t, dir)
			remove("instruction.md")(t, dir)
		}, ""},
		"a separate verifier without a Dockerfile": {put("task.toml", "verifier.environment_mode = 'separate'\n"), "tests: a separate verifier needs a Dockerfile"},
		"a separate verifier with an image":        {put("task.toml", "[verifier.environment]\ndocker_image = 'debian:12'\n"), ""},
		"a separate verifier with a Dockerfile and no script": {func(t *testing.T, dir string) {
			put("task.toml", "verifier.environment_mode = 'separate'\n")(t, dir)
			remove("tests/test.sh")(t, dir)
			put("tests/Dockerfile", "FROM scratch\n")(t, dir)
		}, ""},
		"a Windows task without its script": {put("task.toml", "environment.os = 'windows'\n"), "tests/test.bat: the test script is missing"},
		"a Windows task with its script": {func(t *testing.T, dir string) {
			put("task.toml", "environment.os = 'windows'\n")(t, dir)
			put("tests/test.bat", "@echo off\r\n")(t, dir)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "My Task's $folder")
			write(t, dir, small())
			tc.change(t, dir)
			got, err := task.Load(dir, task.Options{})
			if tc.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got.Name != "My Task's $folder" {
					t.Errorf("the name is %q", got.Name)
				}
				return
			}
			var all task.Problems
			if !errors.As(err, &all) || got != nil {
				t.Fatalf("got task %v and error %v, want Problems", got, err)
			}
			if !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(all[0].File, dir) {
				t.Errorf("got\n%v\nwant %s below %s", err, tc.want, dir)
			}
		})
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func put(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		write(t, dir, map[string]string{name: text})
	}
}

func link(name, target string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		remove(name)(t, dir)
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFolderThatIsALinkIsNamedByItsTarget(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "real"), small())
	link("alias", "real")(t, top)
	got, err := task.Load(filepath.Join(top, "alias"), task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := filepath.EvalSymlinks(filepath.Join(top, "real")); got.Dir != want || got.Name != "real" {
		t.Errorf("got %s at %s, want real at %s", got.Name, got.Dir, want)
	}
}

func TestFoldersThatCannotBeTasks(t *testing.T) {
	for name, dir := range map[string]string{
		"a path with a line break":   filepath.Join(t.TempDir(), "a\nb"),
		"a path that is not UTF-8":   filepath.Join(t.TempDir(), "a\xff"),
		"a path that is not there":   filepath.Join(t.TempDir(), "gone"),
		"a path with NUL":            "a\x00b",
		"a path that ends in a file": filepath.Join("testdata", "folders", "single", "task.toml"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := task.Load(dir, task.Options{})
			var all task.Problems
			if !errors.As(err, &all) || strings.ContainsAny(err.Error(), "\n\x00\xff") {
				t.Errorf("got %q, want Problems on one line", err)
			}
		})
	}
}

func TestInstructionsLoseTheirCanary(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"Do it.\n":                               "Do it.\n",
		"\n\nDo it.":                             "\n\nDo it.",
		"<!-- a Canary b -->\nDo it.":            "Do it.",
		"# CANARY\r\n\r\nDo it.\r\n":             "Do it.\r\n",
		"# canary\n\n<!-- canary -->\n\n\nDo it": "Do it",
		"# Title\n# canary\n":                    "# Title\n# canary\n",
		"canary\n":                               "canary\n",
		"<!-- canary\n-->\nDo it.":               "<!-- canary\n-->\nDo it.",
		"# canary":                               "",
	} {
		if got := task.WithoutCanary(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
