package example_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/task"
	"github.com/seatrial/seatrial/task/example"
)

func TestTheFilesOfEveryExample(t *testing.T) {
	dir := t.TempDir()
	var got strings.Builder
	for _, kind := range example.Kinds() {
		all, err := example.Write(kind, dir, "my-"+kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			info, err := os.Lstat(filepath.Join(dir, "my-"+kind, f.Path))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s %s %s\n", info.Mode(), kind, f.Path)
			if strings.Contains(string(f.Data), "@") && strings.Contains(string(f.Data), "NAME@") {
				t.Errorf("%s %s: the name is not filled in", kind, f.Path)
			}
		}
	}
	golden.Compare(t, "testdata/files.txt", got.String())
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestExamplesAreRight(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"task", "fake", "scoring"} {
		if _, err := example.Write(kind, dir, kind); err != nil {
			t.Fatal(err)
		}
		got, err := task.Load(filepath.Join(dir, kind), task.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if kind == "task" && len(got.Probes) != 2 {
			t.Errorf("probes: %v", got.Probes)
		}
		if len(got.Warnings) > 0 || got.Name != "examples/"+kind {
			t.Errorf("%s: name %s, warnings %v", kind, got.Name, got.Warnings)
		}
	}
	if _, err := example.Write("agent", dir, "walker"); err != nil {
		t.Fatal(err)
	}
	a, warnings, err := task.LoadAgent(filepath.Join(dir, "walker", "agent.toml"))
	if err != nil || len(warnings) > 0 || a.Name != "walker" {
		t.Errorf("agent %+v, warnings %v: %v", a, warnings, err)
	}
}

// A task's scripts name folders of its container. Here they are carried out in a folder of the test's.
func TestTheTaskJudgesItsSolutionAndItsProbesRightly(t *testing.T) {
	all, err := example.Files("task", "sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"": 0, "solution": 1, "tests/probes/variation": 1, "tests/probes/shortcut": 0} {
		dir := t.TempDir()
		for _, f := range all {
			text := strings.NewReplacer("/app/", dir+"/app/", "/logs/verifier", dir).Replace(string(f.Data))
			at := filepath.Join(dir, f.Path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Rename(filepath.Join(dir, "environment"), filepath.Join(dir, "app")); err != nil {
			t.Fatal(err)
		}
		scripts := []string{"tests/test.sh"}
		if name != "" {
			scripts = []string{name + "/solve.sh", "tests/test.sh"}
		}
		for _, s := range scripts {
			if out, err := exec.Command(filepath.Join(dir, s)).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s", s, err, out)
			}
		}
		got, err := os.ReadFile(filepath.Join(dir, "reward.json"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprintf("{\"reward\": %d}\n", want), string(got)); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", example.MaxName)
	for _, tc := range []struct {
		name, in, reason, near string
	}{
		{"a plain name", "hello", "", ""},
		{"digits, dashes, dots and underscores", "3-a_b.c", "", ""},
		{"the longest name", long, "", ""},
		{"an empty name", "", "is empty", "example"},
		{"a longer name", long + "b", "longer", long},
		{"capitals", "Hello", "'H'", "hello"},
		{"a blank", "two words", "' '", "two-words"},
		{"a path", "../evil", "'/'", "evil"},
		{"a backslash", `a\b`, `'\\'`, "a-b"},
		{"letters beyond ASCII", "größe", "'ö'", "gr-e"},
		{"a line break", "a\nb", `'\n'`, "a-b"},
		{"not UTF-8", "a\xffb", "'�'", "a-b"},
		{"a dot in front", ".hidden", "begin and end", "hidden"},
		{"a dash in front", "-x", "begin and end", "x"},
		{"a dot at the end", "x.", "begin and end", "x"},
		{"two dots", "a..b", "two dots", "a.b"},
		{"dots alone", "..", "begin and end", "example"},
		{"nothing that could be kept", "???", "'?'", "example"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := example.CheckName(tc.in)
			if tc.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *example.NameError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.reason) || e.Near != tc.near || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"hello", "Hello World", "..", "größe", "a\xff", strings.Repeat("x.", 60)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var e *example.NameError
		if err := example.CheckName(name); errors.As(err, &e) {
			if err := example.CheckName(e.Near); err != nil {
				t.Errorf("%q is offered for %q: %v", e.Near, name, err)
			}
		} else if name != filepath.Base(name) {
			t.Errorf("%q is a path", name)
		}
	})
}

func TestNothingIsOverwritten(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(dir string) error
		into string
		want string
	}{
		{"a folder, even an empty one", func(d string) error { return os.Mkdir(filepath.Join(d, "x"), 0o755) }, "", "the folder is there already"},
		{"a file", func(d string) error { return os.WriteFile(filepath.Join(d, "x"), nil, 0o644) }, "", "a file of that name"},
		{"a link that leads nowhere", func(d string) error { return os.Symlink("gone", filepath.Join(d, "x")) }, "", "a link of that name"},
		{"a folder that is a link", func(d string) error { return os.Symlink(d, filepath.Join(d, "in")) }, "in", "it is a link"},
		{"a folder that is a file", func(d string) error { return os.WriteFile(filepath.Join(d, "in"), nil, 0o644) }, "in", "not a folder"},
		{"a folder below a file", func(d string) error { return os.WriteFile(filepath.Join(d, "in"), nil, 0o644) }, "in/deeper", "not a directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tc.make(dir); err != nil {
				t.Fatal(err)
			}
			before := listed(t, dir)
			_, err := example.Write("task", filepath.Join(dir, tc.into), "x")
			var e *example.TargetError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(before, listed(t, dir)); diff != "" {
				t.Errorf("something was changed: %s", diff)
			}
		})
	}
	var kind *example.KindError
	if _, err := example.Write("agnt", t.TempDir(), "x"); !errors.As(err, &kind) || !strings.Contains(err.Error(), "did you mean agent?") {
		t.Errorf("got %v", err)
	}
}

func TestTheFolderIsMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evals", "harbor")
	if _, err := example.Write("task", dir, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := task.Load(filepath.Join(dir, "x"), task.Options{}); err != nil {
		t.Error(err)
	}
}

func TestCommandsToTryAreQuoted(t *testing.T) {
	for _, kind := range example.Kinds() {
		for _, n := range example.Next(kind, "it's here/x") {
			if strings.Contains(n[0], "here") && !strings.Contains(n[0], `'it'\''s here/x`) {
				t.Error(n[0])
			}
		}
	}
}

func listed(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		fmt.Fprintln(&all, p, d.Type())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
