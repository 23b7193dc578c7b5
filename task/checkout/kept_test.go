package checkout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/task/checkout"
)

// again opens the store of a tree as another process would.
func again(t *testing.T, tree *checkout.Tree) *checkout.Store {
	t.Helper()
	cache := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(tree.Dir))))
	s, err := checkout.Open(func(name string) (string, bool) { return cache, name == checkout.CacheVariable })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func list(t *testing.T, s *checkout.Store) []checkout.Kept {
	t.Helper()
	all, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatIsUsedStaysInTheCache(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(t, file("a", strings.Repeat("x", 1000)), link("l", "a"))
	s, o := store(t), origin(t, r.dir)
	if all := list(t, s); len(all) != 0 {
		t.Errorf("an empty cache lists %v", all)
	}
	tree, err := s.Get(t.Context(), o, commit)
	if err != nil {
		t.Fatal(err)
	}
	all := list(t, again(t, tree))
	if len(all) != 1 || !all[0].InUse || all[0].Bytes < 1000 || all[0].Bytes > 2000 || time.Since(all[0].Used) > time.Minute || filepath.Join(all[0].Dir, "tree") != tree.Dir {
		t.Fatalf("%+v", all)
	}
	if kept, err := s.Remove(all[0]); !kept || err != nil {
		t.Errorf("kept %v, %v", kept, err)
	}
	if got := listing(t, tree.Dir); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func TestWhatIsNotUsedIsRemovedWhole(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(t, file("a", "1"))
	s, o := store(t), origin(t, r.dir)
	tree, err := s.Get(t.Context(), o, commit)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // the use was another's, who is gone
	outside := filepath.Join(t.TempDir(), "precious")
	folder := filepath.Dir(tree.Dir)
	for _, dir := range []string{folder + ".tmp-123/objects", filepath.Join(filepath.Dir(folder), "notes"), filepath.Join(filepath.Dir(filepath.Dir(folder)), "notes")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(tree.Dir, "out")); err != nil { // whoever made it
		t.Fatal(err)
	}
	all := list(t, s)
	if len(all) != 1 || all[0].InUse || time.Since(all[0].Used) > time.Minute {
		t.Fatalf("%+v", all)
	}
	if kept, err := s.Remove(all[0]); kept || err != nil {
		t.Errorf("kept %v, %v", kept, err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error("what a link leads to was removed")
	}
	left, _ := os.ReadDir(filepath.Dir(folder))
	if len(left) != 1 || left[0].Name() != "notes" {
		t.Errorf("left: %v", left)
	}
	if all := list(t, s); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	if _, err := s.Remove(all[0]); err != nil {
		t.Errorf("what is gone is no error: %v", err)
	}
	if again, err := s.Get(t.Context(), o, commit); err != nil || len(listing(t, again.Dir)) != 1 {
		t.Errorf("it could not be had again: %v", err)
	}
}
