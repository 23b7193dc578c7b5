package orchestrator_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
)

// named is a task's folder with a name and a case; empty = it has none.
type named struct{ dir, name, caseID string }

func (n named) make(t *testing.T, root string) {
	t.Helper()
	copyTask(t, "plain", filepath.Join(root, n.dir))
	text := ""
	if n.name != "" {
		text += "[task]\nname = \"" + n.name + "\"\n"
	}
	if n.caseID != "" {
		text += "[metadata.eval]\ncase = \"" + n.caseID + "\"\n"
	}
	if err := os.WriteFile(filepath.Join(root, n.dir, "task.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCasesAndFolders(t *testing.T) {
	for _, c := range []struct {
		name  string
		tasks []named
		want  [][3]string // folder, case id, legacy id
	}{
		{"a named case", []named{{"t1", "org/a", "refund"}}, [][3]string{{"t1", "refund", "org/a"}}},
		{"no case: the task's name", []named{{"t1", "org/a", ""}}, [][3]string{{"t1", "org/a", "org/a"}}},
		{"neither: the folder's name", []named{{"t1", "", ""}}, [][3]string{{"t1", "t1", "t1"}}},
		{"folders of the same name are told apart by their path", []named{{"x/t", "", ""}, {"y/t", "", ""}}, [][3]string{{"x-t", "x/t", "x/t"}, {"y-t", "y/t", "y/t"}}},
		{"folders that differ in capitals only get folders of their own", []named{{"Task", "", ""}, {"task", "", ""}}, [][3]string{{"task", "Task", "Task"}, {"task-2", "task", "task"}}},
		{"a name that looks like a second one is not given twice", []named{{"A b", "", ""}, {"a-b", "", ""}, {"a-b-2", "", ""}},
			[][3]string{{"a-b", "A b", "A b"}, {"a-b-2", "a-b", "a-b"}, {"a-b-2-2", "a-b-2", "a-b-2"}}},
		{"a name without a safe character gets a folder too", []named{{"日本", "", ""}}, [][3]string{{"x", "日本", "日本"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			var paths []string
			for _, n := range c.tasks {
				n.make(t, root)
				paths = append(paths, filepath.Join(root, n.dir))
			}
			jobs, err := orchestrator.Plans(t.Context(), paths, options())
			if err != nil {
				t.Fatal(err)
			}
			var got [][3]string
			for _, j := range jobs {
				if j.Err != nil {
					t.Fatal(j.Err)
				}
				got = append(got, [3]string{j.Plan.Folder, j.Plan.CaseID, j.Plan.LegacyID})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCollisions(t *testing.T) {
	for _, c := range []struct {
		name  string
		tasks []named
		parts []string // of the message; nil = none
	}{
		{"two tasks with one case", []named{{"t1", "org/a", "same"}, {"t2", "org/b", "same"}}, []string{`"same"`, "t1", "t2"}},
		{"two tasks with one name and no case", []named{{"t1", "org/a", ""}, {"t2", "org/a", ""}}, []string{`"org/a"`, "t1", "t2"}},
		{"a folder without a case that is called as another's case", []named{{"x", "", ""}, {"y", "org/y", "x"}}, []string{`"x"`, "y"}},
		{"an old name that is another's case", []named{{"one", "", "first"}, {"two", "", "one"}}, []string{`"one"`, "two"}},
		{"tasks of their own", []named{{"t1", "org/a", "one"}, {"t2", "org/b", "two"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for _, n := range c.tasks {
				n.make(t, root)
			}
			_, err := orchestrator.Plans(t.Context(), []string{root}, options())
			var usage *orchestrator.UsageError
			if c.parts == nil {
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			}
			if !errors.As(err, &usage) {
				t.Fatalf("error %v (%T)", err, err)
			}
			for _, part := range c.parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the message leaves out %s: %v", part, err)
				}
			}
		})
	}
}

func TestTheSameTaskTwiceIsOneTask(t *testing.T) {
	root := t.TempDir()
	named{"t", "org/t", "t"}.make(t, root)
	jobs, err := orchestrator.Plans(t.Context(), []string{root, filepath.Join(root, "t"), filepath.Join(root, "t") + "/"}, options())
	if err != nil || len(jobs) != 1 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}

func TestTheCaseFileOfAnEvalsFolder(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		dir   string
		ok    bool
	}{
		{"it is there", []string{"evals/cases/refund.md"}, "evals/harbor/t", true},
		{"it is there for a task further down", []string{"evals/cases/refund.md"}, "evals/harbor/group/t", true},
		{"it is missing", []string{"evals/cases/other.md"}, "evals/harbor/t", false},
		{"no task outside of evals needs one", nil, "tasks/t", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for _, f := range c.files {
				if err := os.MkdirAll(filepath.Join(root, filepath.Dir(f)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, f), []byte("# A case\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			named{c.dir, "org/t", "refund"}.make(t, root)
			jobs, err := orchestrator.Plans(t.Context(), []string{filepath.Join(root, c.dir)}, options())
			if err != nil {
				t.Fatal(err)
			}
			if (jobs[0].Err == nil) != c.ok {
				t.Fatalf("error %v", jobs[0].Err)
			}
			if !c.ok && !strings.Contains(jobs[0].Err.Error(), filepath.Join("evals", "cases", "refund.md")) {
				t.Errorf("the message does not name the file: %v", jobs[0].Err)
			}
		})
	}
}
