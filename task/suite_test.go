package task_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

func TestFindInSuites(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{
		"plain/evals/cases/a.md": "", "plain/evals/harbor/a/task.toml": "", "plain/evals/harbor/b/task.toml": "", "plain/evals/local/a/eval.yaml": "",
		"plain/evals/direct/task.toml": "", "plain/evals/lib/deep/task.toml": "", "plain/evals/.hidden/a/task.toml": "", "plain/evals/harbor/group/c/task.toml": "",
		"named/evals/harbor/a/task.toml": "",
		"other/suite/cases/a.md":         "", "other/suite/harbor/a/task.toml": "",
		"moved/package.json":    `{"pi": {"evals": {"cases": "docs/cases", "runners": {"harbor": "tests/harbor"}}}}`,
		"moved/docs/cases/a.md": "", "moved/tests/harbor/a/task.toml": "", "moved/evals/old/a/task.toml": "", "moved/direct/task.toml": "",
		"empty/package.json":      `{"pi": {"evals": {}}}`,
		"folder/cases/readme.txt": "", "folder/group/a/task.toml": "", "folder/b/task.toml": "",
		"task/cases/task.toml": "", "task/cases/x.md": "", "task/group/a/task.toml": "",
		"listed/package.json": `{"pi": {"evals": {"runners": {"harbor": "gone", "other": "other"}}}}`, "listed/other/a/task.toml": "",
	})
	for name, tc := range map[string]struct{ path, want string }{
		"a suite, with the tasks of its runners and its own":  {"plain/evals", "direct harbor/a harbor/b"},
		"the root of a recipe with a suite":                   {"plain", "evals/direct evals/harbor/a evals/harbor/b"},
		"a runner's folder is a folder of tasks":              {"plain/evals/harbor", "a b"},
		"a suite by its name alone":                           {"named/evals", "harbor/a"},
		"the root is none for a name alone":                   {"named", "it holds neither"},
		"a suite by its cases":                                {"other/suite", "harbor/a"},
		"package.json moves cases and runners":                {"moved", "direct tests/harbor/a"},
		"a suite without tasks":                               {"empty", "it holds neither"},
		"a folder of tasks with a folder cases without cases": {"folder", "b"},
		"a folder of tasks, one of them named cases":          {"task", "cases"},
		"a runner's folder that is not there hides nothing":   {"listed", "other/a"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := task.Find([]string{filepath.Join(top, tc.path)})
			var names []string
			for _, f := range found {
				n := strings.TrimPrefix(f.Dir, filepath.Join(top, tc.path)+"/")
				var none *task.NoTaskError
				if errors.As(f.Err, &none) {
					n += "(" + none.Reason + ")"
				}
				names = append(names, n)
			}
			got := strings.Join(names, " ")
			if err != nil {
				if !strings.Contains(err.Error(), tc.want) {
					t.Error(err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSuiteOfATask(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{
		"r/evals/cases/a.md": "", "r/evals/harbor/g/a/task.toml": "", "r/tasks/b/task.toml": "",
		"m/package.json": `{"pi": {"evals": {"runners": {"harbor": "tests"}}}}`, "m/tests/a/task.toml": "", "m/other/b/task.toml": "",
	})
	for dir, want := range map[string]string{"r/evals/harbor/g/a": "r/evals", "r/tasks/b": "", "m/tests/a": "m/evals", "m/other/b": ""} {
		got := ""
		if s := task.SuiteOf(filepath.Join(top, dir)); s != nil {
			got = strings.TrimPrefix(s.Dir, top+"/")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}

func TestCasesAreFilesOfTheirFolder(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"evals/cases/a.md": "", "evals/cases/B.md": "", "evals/cases/README.md": "", "evals/cases/x.txt": "", "evals/cases/dir.md/": "", "secret.md": ""})
	link("evals/cases/out.md", "../../secret.md")(t, top)
	link("evals/cases/in.md", "a.md")(t, top)
	s := task.SuiteAt(filepath.Join(top, "evals"))
	got, err := s.CaseNames()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"B", "a", "in"}, got); diff != "" {
		t.Error(diff)
	}
	for id, want := range map[string]bool{"a": true, "in": true, "out": false, "dir": false, "B": false, "../../secret": false, "gone": false, "": false} {
		if s.HasCase(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}

func TestPackageFile(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		declared bool
		want     string // the paths, or the problems
	}{
		{"no evals", `{"name": "x", "pi": {"skills": []}}`, false, ""},
		{"no pi", `{"name": "x"}`, false, ""},
		{"pi is no object", `{"pi": 3}`, false, ""},
		{"an empty object keeps the defaults", `{"pi": {"evals": {}}}`, true, ""},
		{"a byte order mark", "\ufeff" + `{"pi": {"evals": {}}}`, true, ""},
		{"another case of letters", `{"PI": {"evals": {}}, "pi": {"Evals": {}}}`, false, ""},
		{"null", `{"pi": {"evals": null}}`, false, "pi.evals must be an object"},
		{"a list", `{"pi": {"evals": []}}`, false, "pi.evals must be an object"},
		{"a misspelt key", `{"pi": {"evals": {"case": "x"}}}`, true, "did you mean cases?"},
		{"the registry of older designs", `{"pi": {"evals": {"suites": []}}}`, true, "pi.evals.suites nothing reads this key"},
		{"a number", `{"pi": {"evals": {"lib": 3}}}`, true, "pi.evals.lib must be the path"},
		{"null for a path", `{"pi": {"evals": {"lib": null}}}`, true, "pi.evals.lib must be the path"},
		{"a path that leads out", `{"pi": {"evals": {"cases": "../x"}}}`, true, "stays below"},
		{"a path that leads out later", `{"pi": {"evals": {"cases": "a/../../x"}}}`, true, "stays below"},
		{"an absolute path", `{"pi": {"evals": {"cases": "/etc"}}}`, true, "stays below"},
		{"an empty path", `{"pi": {"evals": {"cases": ""}}}`, true, "stays below"},
		{"backslashes", `{"pi": {"evals": {"cases": "a\\b"}}}`, true, "forward slashes"},
		{"a control character", `{"pi": {"evals": {"cases": "a\u001bb"}}}`, true, "stays below"},
		{"runners as a text", `{"pi": {"evals": {"runners": "x"}}}`, true, "must be an object of runners"},
		{"a runner without a good name", `{"pi": {"evals": {"runners": {"a b": "x"}}}}`, true, "is no name of a runner"},
		{"no JSON", `{"pi": `, false, "is not read"},
		{"too large", `{"x": "` + strings.Repeat("a", 1<<20) + `"}`, false, "larger than 1 MiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			top := t.TempDir()
			write(t, top, map[string]string{"package.json": tc.in, "evals/cases/a.md": ""})
			s := task.SuiteAt(top)
			if s == nil || s.Declared != tc.declared {
				t.Fatalf("%+v", s)
			}
			var problems []string
			for _, p := range s.Problems {
				problems = append(problems, p.Key+" "+p.What)
			}
			if all := strings.Join(problems, "\n"); tc.want == "" && all != "" || !strings.Contains(all, tc.want) || strings.ContainsAny(all, "\x1b") {
				t.Errorf("got %q, want %q", all, tc.want)
			}
			if want := filepath.Join(top, "evals", "cases"); s.Cases != want {
				t.Errorf("cases are in %s", s.Cases)
			}
		})
	}
}

func TestAPackageFileThatIsALinkOutIsNotRead(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"out.json": `{"pi": {"evals": {}}}`, "r/evals/cases/a.md": ""})
	link("r/package.json", "../out.json")(t, top)
	s := task.SuiteAt(filepath.Join(top, "r"))
	if s == nil || s.Declared || len(s.Problems) != 1 {
		t.Errorf("%+v", s)
	}
}

func FuzzPackageFile(f *testing.F) {
	f.Add(`{"pi": {"evals": {"cases": "a/b", "runners": {"harbor": "x"}, "lib": "l", "sources": "s", "runs": "r"}}}`)
	f.Add(`{"pi": {"evals": {"cases": "../x"}}}`)
	f.Add(`{"pi": {"evals": null}}`)
	f.Add(`[]`)
	top := f.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "evals"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if err := os.WriteFile(filepath.Join(top, "package.json"), []byte(in), 0o644); err != nil {
			t.Fatal(err)
		}
		s := task.SuiteAt(filepath.Join(top, "evals"))
		if s == nil {
			t.Fatal("no suite")
		}
		for _, dir := range []string{s.Cases, s.Lib, s.Sources, s.Runs} {
			if rel, err := filepath.Rel(top, dir); err != nil || !filepath.IsLocal(rel) {
				t.Errorf("%q leads out", dir)
			}
		}
		for _, r := range s.Runners {
			if rel, err := filepath.Rel(top, r.Dir); err != nil || !filepath.IsLocal(rel) {
				t.Errorf("%q leads out", r.Dir)
			}
		}
		if s.Declared && !json.Valid([]byte(strings.TrimPrefix(in, "\ufeff"))) {
			t.Error("declared by what is no JSON")
		}
	})
}

func TestNamed(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"a task that is right", "[task]\nname = \"a/b\"\n[metadata.eval]\ncase = \"c\"\n", "a/b c"},
		{"another key is wrong", "[agnt]\nx = 1\n[metadata.eval]\ncase = \"c\"\n", " c"},
		{"an error of syntax further down", "[metadata.eval]\ncase = \"c\"\n[agent\n", " c"},
		{"a case that is no id", "[metadata.eval]\ncase = \"C\"\n", " "},
		{"a case that is no text", "[metadata.eval]\ncase = 3\n", " "},
		{"nothing", "", " "},
		{"no TOML", "\x00", " "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"task.toml": tc.in})
			name, id := task.Named(dir)
			if got := fmt.Sprint(name, " ", id); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if name, id := task.Named(t.TempDir()); name+id != "" {
		t.Error(name, id)
	}
}
