package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task/dataset"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []dataset.Dataset
	}{
		{"local folders and a repository", "d.toml", "name = \"core\"\n[[tasks]]\npath = \"../tasks/a\"\n[[tasks]]\npath = \"b\"\nname = \"bee\"\ngit = \"https://example.com/x.git\"\ncommit = \"" + commit + "\"\n",
			[]dataset.Dataset{{Name: "core", Tasks: []dataset.Source{{Path: "../tasks/a"}, {Name: "bee", Path: "b", Git: "https://example.com/x.git", Commit: commit}}}}},
		{"an inline list", "d.toml", "tasks = [{path = \"a\"}]", []dataset.Dataset{{Tasks: []dataset.Source{{Path: "a"}}}}},
		{"the same as JSON", "d.json", "\xef\xbb\xbf" + `{"version": "2", "tasks": [{"path": "a"}]}`, []dataset.Dataset{{Version: "2", Tasks: []dataset.Source{{Path: "a"}}}}},
		{"a registry, with keys of its own", "r.json", `[{"name": "x", "version": "1.0", "description": "", "metrics": [], "tasks": [
			{"name": "one", "git_url": "https://example.com/x.git", "git_commit_id": "` + commit + `", "path": "tasks/one", "more": 1}, {"git_url": null, "git_commit_id": null, "path": "p"}]},
			{"name": "y", "tasks": []}]`,
			[]dataset.Dataset{{Name: "x", Version: "1.0", Tasks: []dataset.Source{{Name: "one", Path: "tasks/one", Git: "https://example.com/x.git", Commit: commit}, {Path: "p"}}}, {Name: "y"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := dataset.Parse(c.file, []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, f.Datasets); diff != "" {
				t.Error(diff)
			}
			if f.Registry != (c.file == "r.json") {
				t.Errorf("registry: %v", f.Registry)
			}
		})
	}
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"no TOML", "d.toml", "x = 1\ny = ]\n", "d.toml:2: is no TOML"},
		{"no JSON", "d.json", "{\n\n]", "d.json:3: is no JSON"},
		{"JSON of another kind", "d.json", "3", `d.json: want an object with a list "tasks"`},
		{"an empty file", "d.toml", "", "d.toml: tasks: is missing"},
		{"no tasks", "d.toml", "tasks = []", "d.toml: tasks: there are none"},
		{"a misspelt key", "d.toml", "[[tasks]]\npth = \"a\"", "d.toml: tasks[0].pth: there is no such key; did you mean path?"},
		{"a key in capitals", "d.toml", "[[tasks]]\nPATH = \"a\"", "d.toml: tasks[0].PATH: there is no such key"},
		{"an unknown key at the top", "d.json", `{"tasks": [{"path": "a"}], "extra": 1}`, "d.json: extra: there is no such key; there are name"},
		{"a path that is a number", "d.toml", "[[tasks]]\npath = 3", "d.toml: tasks[0].path: want a text"},
		{"no path", "d.toml", "[[tasks]]\nname = \"a\"", "d.toml: tasks[0].path: is missing"},
		{"an empty path", "d.toml", "[[tasks]]\npath = \"\"", "d.toml: tasks[0].path: is empty"},
		{"a commit without a repository", "d.toml", "[[tasks]]\npath = \"a\"\ncommit = \"x\"", "d.toml: tasks[0].commit: is there without git"},
		{"tasks that are no list", "d.json", `{"tasks": {"path": "a"}}`, "d.json: tasks: want a list"},
		{"a task that is no object", "d.json", `{"tasks": ["a"]}`, "d.json: tasks[0]: want an object"},
		{"control characters", "d.json", `{"tasks": [{"path": "a\u0007"}]}`, "d.json: tasks[0].path: holds control characters"},
		{"a value without end", "d.json", `{"tasks": [{"path": "` + strings.Repeat("a", 5000) + `"}]}`, "d.json: tasks[0].path: is longer than 4096 bytes"},
		{"a registry without datasets", "r.json", "[]", "r.json: the registry has no datasets"},
		{"a dataset without a name", "r.json", `[{"tasks": []}]`, "r.json: [0].name: a dataset has no name"},
		{"a dataset twice", "r.json", `[{"name": "a", "version": "1", "tasks": []}, {"name": "a", "version": "1", "tasks": []}]`, "r.json: [1]: dataset a@1 is there twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := dataset.Parse(c.file, []byte(c.text))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v, %v\nwant %s", f, err, c.want)
			}
		})
	}
}

func TestPick(t *testing.T) {
	f, err := dataset.Parse("r.json", []byte(`[{"name": "a", "version": "1", "tasks": []}, {"name": "a", "version": "2", "tasks": []}, {"name": "bench", "version": "1", "tasks": []}]`))
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{"a@2": "a@2", "bench": "bench@1", "bench@1": "bench@1"} {
		if d, err := f.Pick(ref); err != nil || d.Ref() != want {
			t.Errorf("%s: %v, %v", ref, d, err)
		}
	}
	for ref, want := range map[string]string{
		"a":       `dataset "a" of r.json: it has several versions; name one of a@1, a@2`,
		"bench@2": `dataset "bench@2" of r.json: there is none; did you mean bench@1?`,
		"other":   `dataset "other" of r.json: there is none; there are a@1, a@2, bench@1`,
	} {
		if d, err := f.Pick(ref); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v\nwant %s", ref, d, err, want)
		}
	}
}

func TestReadOddFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if dataset.IsFile(filepath.Join(dir, "d.toml")) {
		t.Error("a folder is no file")
	}
	for _, path := range []string{filepath.Join(dir, "d.toml"), filepath.Join(dir, "none.json"), "/dev/zero"} {
		if _, err := dataset.Read(path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
	big := filepath.Join(dir, "big.json")
	if err := os.WriteFile(big, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, dataset.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Read(big); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a file beyond the bound: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"[[tasks]]\npath = \"a\"\n", `{"tasks": [{"path": "a", "git": "x", "commit": "y"}]}`, `[{"name": "x", "tasks": [{"path": "p"}]}]`, "[", "tasks = 3"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, asJSON bool) {
		name := "d.toml"
		if asJSON {
			name = "d.json"
		}
		file, err := dataset.Parse(name, []byte(text))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\x00") {
				t.Fatalf("%q", err)
			}
			return
		}
		if !file.Registry && len(file.Datasets) != 1 {
			t.Fatalf("%d datasets", len(file.Datasets))
		}
		for _, d := range file.Datasets {
			for _, s := range d.Tasks {
				if s.Path == "" || s.Git == "" && s.Commit != "" {
					t.Fatalf("%+v", s)
				}
			}
		}
	})
}
