package orchestrator_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/selection"
)

func TestWhatATaskIsCalledDoesNotDependOnTheSelection(t *testing.T) {
	root := t.TempDir()
	for _, n := range []named{{"x/t", "", ""}, {"y/t", "", ""}, {"y/u", "org/u", "u"}} {
		n.make(t, root)
	}
	paths := []string{filepath.Join(root, "x"), filepath.Join(root, "y")}
	called := func(change ...func(*orchestrator.Options)) map[string][3]string {
		jobs, err := orchestrator.Plans(t.Context(), paths, options(change...))
		if err != nil {
			t.Fatal(err)
		}
		all := map[string][3]string{}
		for _, j := range jobs {
			all[j.Dir] = [3]string{j.Plan.Folder, j.Plan.CaseID, j.Plan.LegacyID}
		}
		return all
	}
	all, parts := called(), map[string][3]string{}
	for n := 1; n <= 2; n++ {
		for dir, names := range called(func(o *orchestrator.Options) {
			o.Selection = selection.Selection{Tasks: []string{[]string{"t", "u"}[n-1]}}
		}) {
			parts[dir] = names
		}
	}
	if diff := cmp.Diff(all, parts); diff != "" {
		t.Errorf("(-together +apart):\n%s", diff)
	}
}

func TestTasksThatAreNotChosenExcludeNone(t *testing.T) {
	root := t.TempDir()
	for _, n := range []named{{"t1", "org/a", "same"}, {"t2", "org/b", "same"}} {
		n.make(t, root)
	}
	jobs, err := orchestrator.Plans(t.Context(), []string{root}, options(func(o *orchestrator.Options) { o.Selection = selection.Selection{Exclude: []string{"t2"}} }))
	if err != nil || len(jobs) != 1 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
	_, err = orchestrator.Plans(t.Context(), []string{root}, options(func(o *orchestrator.Options) { o.Selection = selection.Selection{Tasks: []string{"t3"}} }))
	var usage *orchestrator.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("error %v (%T)", err, err)
	}
}

func TestTheRecordSaysWhatWasAskedFor(t *testing.T) {
	dir := tasks(t, 1)
	o := options(func(o *orchestrator.Options) {
		o.Selection = selection.Selection{Datasets: []string{"a@1"}, Tasks: []string{"*"}, Exclude: []string{"z"}, Tags: []string{"x"}, ExcludeTags: []string{"y"}, Shard: &selection.Shard{Index: 1, Count: 4}, Limit: 2}
	})
	s, _ := begin(t, o, 1)
	rec := readRun(t, s.Path())
	if diff := cmp.Diff(&o.Selection, rec.Spec.Selection); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Finish(t.Context())
	s, _ = begin(t, options(), 1)
	if rec := readRun(t, s.Path()); rec.Spec.Selection != nil {
		t.Errorf("nothing was asked for, and the record says %+v", rec.Spec.Selection)
	}
	s.Finish(t.Context())
	_ = dir
}

// committed makes a git repository of a folder and returns its commit.
func committed(t *testing.T, dir string) string {
	t.Helper()
	repo, err := git.PlainInit(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.Worktree()
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.AddWithOptions(&git.AddOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	hash, err := tree.Commit("x", &git.CommitOptions{Author: &object.Signature{Name: "A", Email: "a@example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	return hash.String()
}

func TestTasksOfADataset(t *testing.T) {
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(root, "cache"))
	for _, n := range []named{{"local", "", ""}, {"repo/tasks/t", "", ""}, {"repo/tasks/u", "org/u", "u"}, {"repo/evil", "", ""}, {"other", "", ""}} {
		n.make(t, root)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "repo", "evil", "link")); err != nil {
		t.Fatal(err)
	}
	commit, whole := committed(t, filepath.Join(root, "repo")), committed(t, filepath.Join(root, "other"))
	file := filepath.Join(root, "set.toml")
	source := func(path, repo, commit string) string {
		return fmt.Sprintf("[[tasks]]\npath = %q\ngit = %q\ncommit = %q\n", path, repo, commit)
	}
	text := "[[tasks]]\npath = \"local\"\n[[tasks]]\npath = \"gone\"\n" + source("tasks", "repo", commit) + source("evil", "repo", commit) + source("tasks/t", "file://"+root+"/repo", commit) +
		source(".", "./other", whole) + source("a/x", "repo", "main") + source("b/x", "repo", "main")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	jobs, err := orchestrator.Survey(t.Context(), []string{file, filepath.Join(root, "local")}, options())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range jobs {
		line := filepath.Base(j.Dir) + ": "
		var e *orchestrator.SourceError
		switch {
		case j.Err == nil:
			line += j.Plan.CaseID
		case errors.As(j.Err, &e):
			line += e.Cause.Error()
		default:
			line += "not a SourceError: " + j.Err.Error()
		}
		got = append(got, strings.ReplaceAll(line, root, "ROOT"))
	}
	want := []string{
		"local: local", "gone: no task at ROOT/gone: there is no such folder", "t: t", "u: u",
		`evil: path "evil": "evil/link" of the commit was left out: it is a link that leads out of the repository`, "tree: other",
		`x: commit "main": want 40 hex digits, since a branch or a tag moves and a part may become ambiguous`,
		`x: commit "main": want 40 hex digits, since a branch or a tag moves and a part may become ambiguous`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var usage *orchestrator.UsageError
	if _, err := orchestrator.Plans(t.Context(), []string{file}, options()); err != nil {
		t.Errorf("tasks that have one name in two places exclude each other: %v", err)
	}
	if _, err := orchestrator.Plans(t.Context(), []string{root}, options(func(o *orchestrator.Options) { o.Selection.Datasets = []string{"x"} })); !errors.As(err, &usage) {
		t.Errorf("a dataset without a registry: %v", err)
	}
}
