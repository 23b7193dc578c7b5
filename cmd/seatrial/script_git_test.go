package main

import (
	"os"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/rogpeppe/go-internal/testscript"
)

// commits FOLDER VARIABLE makes a git repository of a folder as it is, and sets a variable to the commit.
func commits(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	repo, err := git.PlainInit(dir, false)
	ts.Check(err)
	tree, err := repo.Worktree()
	ts.Check(err)
	ts.Check(tree.AddWithOptions(&git.AddOptions{All: true}))
	who := &object.Signature{Name: "A", Email: "a@example.com", When: time.Unix(1_700_000_000, 0)}
	hash, err := tree.Commit("x", &git.CommitOptions{Author: who})
	ts.Check(err)
	ts.Setenv(args[1], hash.String())
}

// fills FILE puts the script's variables into a file, where it has ${NAME}.
func fills(ts *testscript.TestScript, _ bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
