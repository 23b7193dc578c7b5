package task_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/task"
)

// wood makes a folder with tasks and other things, and goes there.
func wood(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range []string{"tasks/hello-a/task.toml", "tasks/hello-b/task.toml", "tasks/bye/task.toml", "tasks/.hidden/task.toml", "tasks/lib/x.py", "tasks/hello.md",
		"tasks/star*/task.toml", "more/set/one/task.toml", "sets/core.toml", "sets/old.toml", "tasks/hello-broken/task.toml"} {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExpand(t *testing.T) {
	wood(t)
	for _, c := range []struct {
		name, path string
		want       []string
	}{
		{"a path that is there", "tasks/bye", []string{"tasks/bye"}},
		{"a pattern, sorted, broken tasks with the others", "tasks/hello-*", []string{"tasks/hello-a", "tasks/hello-b", "tasks/hello-broken"}},
		{"neither hidden folders, nor files, nor folders without tasks", "tasks/*", []string{"tasks/bye", "tasks/hello-a", "tasks/hello-b", "tasks/hello-broken", "tasks/star*"}},
		{"hidden folders when they are asked for", "tasks/.h*", []string{"tasks/.hidden"}},
		{"a name that is a pattern, when it is there", "tasks/star*", []string{"tasks/star*"}},
		{"patterns in several parts", "m*/s*/o?e", []string{"more/set/one"}},
		{"folders of tasks", "[mt]*", []string{"tasks"}},
		{"files of datasets", "sets/*.toml", []string{"sets/core.toml", "sets/old.toml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := task.Expand([]string{c.path})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpandNothing(t *testing.T) {
	wood(t)
	for _, c := range []struct{ name, path, want string }{
		{"a misspelt path", "tasks/helo-a", "no task at tasks/helo-a: there is no such folder; did you mean tasks/hello-a?"},
		{"a misspelt folder of a path", "task/hello-a", "no task at task/hello-a: there is no such folder; did you mean tasks?"},
		{"a path like nothing", "elsewhere/x", "no task at elsewhere/x: there is no such folder"},
		{"a misspelt pattern", "tasks/helo-*", "no task at tasks/helo-*: the pattern matches nothing; did you mean tasks/hello-a?"},
		{"a pattern below a misspelt folder", "taks/hello-*", "no task at taks/hello-*: the pattern matches nothing; did you mean tasks?"},
		{"a pattern that matches no task", "tasks/li*", "no task at tasks/li*: the pattern matches tasks/lib alone, which neither is a task nor holds one"},
		{"a pattern that is none", "tasks/[a", "no task at tasks/[a: it is not there, and as a pattern it has a [ without a ], or a \\ at its end"},
		{"a hidden folder", "tasks/*hidden", "no task at tasks/*hidden: the pattern matches nothing; did you mean tasks/.hidden?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := task.Expand([]string{"tasks/bye", c.path})
			if err == nil || err.Error() != c.want {
				t.Errorf("%q, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"*", "[", "a/../*", "\\", "tasks/[!a]*", "//*", "\x00*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if filepath.IsAbs(pattern) || strings.Contains(pattern, "..") || len(pattern) > 100 {
			t.Skip("it would look outside")
		}
		got, err := task.Expand([]string{pattern})
		if (err == nil) != (len(got) > 0) {
			t.Fatalf("%q, %v", got, err)
		}
	})
}
