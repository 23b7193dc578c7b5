package task_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

func TestFind(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{
		"many/b/task.toml": "", "many/a/task.toml": "broken", "many/B/task.toml": "", "many/My Task/task.toml": "",
		"many/-x/task.toml": "", "many/not/readme.md": "", "many/file": "", "many/deep/er/task.toml": "", "nest/a/b/task.toml": "",
		"store/linked/task.toml": "", "empty/": "", "one/task.toml/": "", "one/sub/task.toml": "",
		"bad/a\nb/task.toml": "", "bad/good/task.toml": "",
	})
	link("many/zz", "../store/linked")(t, top)
	link("many/loop", "loop")(t, top)
	if err := os.MkdirAll(filepath.Join(top, "dangling"), 0o755); err != nil {
		t.Fatal(err)
	}
	link("dangling/task.toml", "gone")(t, top)
	for name, tc := range map[string]struct {
		paths []string
		want  string // tasks, or a part of the error
		fails bool
	}{
		"a folder of tasks, sorted by name":      {[]string{"many"}, "many/-x many/B many/My Task many/a many/b many/zz", false},
		"a task itself, broken or not":           {[]string{"many/a"}, "many/a", false},
		"a task whose file is a folder":          {[]string{"one"}, "one", false},
		"a task whose file is a link to nothing": {[]string{"dangling"}, "dangling", false},
		"the order of the paths holds":           {[]string{"many/b", "many/a"}, "many/b many/a", false},
		"a task reached twice is there once":     {[]string{"many/b", "many/b/", "store", "many/zz"}, "many/b store/linked", false},
		"no paths":                               {nil, "", false},
		"a folder without tasks":                 {[]string{"many", "empty"}, "empty: it holds neither", true},
		"a folder whose tasks are too deep":      {[]string{"nest"}, "it holds neither", true},
		"a path that is not there":               {[]string{"gone"}, "there is no such folder", true},
		"a file":                                 {[]string{"many/file"}, "it is a file", true},
		"a child with a line break in its name":  {[]string{"bad"}, "bad/a\nb(control characters) bad/good", false},
	} {
		t.Run(name, func(t *testing.T) {
			paths := make([]string, len(tc.paths))
			for i, p := range tc.paths {
				paths[i] = filepath.Join(top, p)
			}
			got, err := task.Find(paths)
			if tc.fails {
				var e *task.NoTaskError
				if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("got %v and %v, want a NoTaskError with %q", got, err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, g := range got {
				name := strings.TrimPrefix(g.Dir, top+"/")
				if g.Err != nil && strings.Contains(g.Err.Error(), "control characters") {
					name += "(control characters)"
				}
				names = append(names, name)
			}
			if diff := cmp.Diff(tc.want, strings.Join(names, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
