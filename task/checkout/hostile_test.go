package checkout_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsNotSafeIsLeftOut(t *testing.T) {
	r := newRepo(t)
	sub := entry{mode: "160000", name: "sub"}
	commit := r.commit(t,
		dir("good", file("task.toml", "")),
		dir("absolute", link("l", "/etc/passwd")),
		dir("up", link("l", "../../x")),
		dir("roundabout", link("b", ".."), link("c", "b/../../x")),
		dir("loop", link("l", "l")),
		dir("dangling", link("l", "nothing")),
		dir("git", dir(".GIT", file("config", "[core]"))),
		dir("odd", file("a\nb", "")),
		dir("with", sub),
		dir("escaping", file("..", "x")),
	)
	got, err := store(t).Get(t.Context(), origin(t, r.dir), commit)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"good/task.toml": "", "roundabout/b": "-> ..", "dangling/l": "-> nothing"}
	if diff := cmp.Diff(want, listing(t, got.Dir)); diff != "" {
		t.Error(diff)
	}
	for name, refused := range map[string]bool{"good": false, "absolute": true, "up": true, "roundabout": true, "loop": true, "dangling": false, "git": true, "odd": true, "with": true, "escaping": true, ".": true} {
		if err := got.Whole(filepath.Join(got.Dir, name)); (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := got.Folder("with/sub/task"); err == nil || !strings.Contains(err.Error(), "it is a submodule") {
		t.Errorf("a folder in a submodule: %v", err)
	}
}

func TestHostileTrees(t *testing.T) {
	deep := file("x", "")
	for range 150 {
		deep = dir("d", deep)
	}
	for _, c := range []struct {
		name string
		in   []entry
		want string
	}{
		{"the same name twice", []entry{file("a", "1"), file("a", "2")}, "file exists"},
		{"a link and a folder of the same name", []entry{link("a", "y"), dir("a", file("x", "1"))}, "file exists"},
		{"folders without end", []entry{deep}, "folders in each other: more than 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			s, o := store(t), origin(t, r.dir)
			commit := r.commit(t, c.in...)
			_, err := s.Get(t.Context(), o, commit)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(s.Dir(o, commit))), "*")); len(left) != 0 {
				t.Errorf("left in the cache: %q", left)
			}
		})
	}
}

func TestAnObjectThatIsNotWhatItsHashSays(t *testing.T) {
	r := newRepo(t)
	commit := r.commit(t, file("a", "right"))
	other := newRepo(t)
	other.commit(t, file("a", "wrong"))
	// The file of the one object takes the place of the other.
	find := func(r *repo, text string) string {
		h := r.put(t, 3, []byte(text)).String()
		return filepath.Join(r.dir, "objects", h[:2], h[2:])
	}
	data, err := os.ReadFile(find(other, "wrong"))
	if err != nil {
		t.Fatal(err)
	}
	target := find(r, "right")
	if err := errors.Join(os.Chmod(target, 0o644), os.WriteFile(target, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := store(t).Get(t.Context(), origin(t, r.dir), commit); err == nil || !strings.Contains(err.Error(), "not what its hash says") {
		t.Errorf("%v", err)
	}
}
