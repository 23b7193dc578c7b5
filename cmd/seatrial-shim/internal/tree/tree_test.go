//go:build linux

package tree_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/tree"
)

// build makes entries below dir: "a/" is a folder, "a=text" a file, "a->b" a link, "a|" a pipe.
func build(t *testing.T, dir string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		name, text, isFile := strings.Cut(e, "=")
		link, target, isLink := strings.Cut(e, "->")
		var err error
		switch {
		case isLink:
			err = os.Symlink(target, filepath.Join(dir, link))
		case isFile:
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640)
		case strings.HasSuffix(e, "|"):
			err = syscall.Mkfifo(filepath.Join(dir, e[:len(e)-1]), 0o600)
		default:
			err = os.MkdirAll(filepath.Join(dir, e), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// show is the reverse of build.
func show(t *testing.T, dir string) []string {
	t.Helper()
	list := []string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(p)
			name += "->" + target
		case d.Type()&fs.ModeNamedPipe != 0:
			name += "|"
		case d.IsDir():
			name += "/"
		default:
			b, _ := os.ReadFile(p)
			name += "=" + string(b)
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func TestRemove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		entries []string
		path    string
		want    []string
	}{
		{"a folder with everything in it", []string{"out/", "out/file=x", "p/", "p/a/b/", "p/a/f=1", "p/link->../out", "p/a/file->../../out/file", "p/pipe|"}, "p",
			[]string{"out/", "out/file=x"}},
		{"a link itself", []string{"out/", "out/file=x", "p->out"}, "p", []string{"out/", "out/file=x"}},
		{"a dangling link", []string{"p->none"}, "p", []string{}},
		{"a file", []string{"p=x"}, "p", []string{}},
		{"nothing", []string{"a/"}, "p", []string{"a/"}},
		{"nothing in nothing", []string{"a/"}, "none/p", []string{"a/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			build(t, dir, c.entries...)
			if kept, err := tree.Remove(filepath.Join(dir, c.path)); kept || err != nil {
				t.Fatal(kept, err)
			}
			if d := cmp.Diff(c.want, show(t, dir)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestRemoveRefusesTheRoot(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"/", "relative", "", "/..", "/tmp/.."} {
		if _, err := tree.Remove(p); err == nil {
			t.Errorf("%q was removed", p)
		}
	}
}

func TestRemoveDeepAndWide(t *testing.T) {
	t.Parallel()
	top := filepath.Join(t.TempDir(), "top")
	build(t, "/", top+"/")
	for i := range 3000 {
		build(t, top, strconv.Itoa(i)+"=")
	}
	// Deeper than any path may be long.
	fd, err := unix.Open(top, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if err := unix.Mkdirat(fd, "deep", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(fd, "deep", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(fd)
		fd = next
	}
	_ = unix.Close(fd)
	if _, files, err := tree.Measure(top); files != 3000 || err != nil {
		t.Errorf("measured %d files: %v", files, err)
	}
	if _, err := tree.Remove(top); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(top); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	entries := []string{"a/", "a/f=text", "a/link->/etc", "a/sub/", "a/sub/g=more", "a/pipe|"}
	other := "/dev/shm" // mostly a file system of its own
	for _, c := range []struct{ name, to string }{{"within a file system", t.TempDir()}, {"to another file system", other}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from := t.TempDir()
			build(t, from, entries...)
			if err := os.Chmod(filepath.Join(from, "a/f"), 0o751|fs.ModeSetuid); err != nil {
				t.Fatal(err)
			}
			to, err := os.MkdirTemp(c.to, "move")
			if err != nil {
				t.Skip(err)
			}
			defer os.RemoveAll(to)
			if err := tree.Move(filepath.Join(from, "a"), filepath.Join(to, "new/a"), &tree.Budget{Bytes: 100, Entries: 100}); err != nil {
				t.Fatal(err)
			}
			want := slices.Sorted(slices.Values(entries))
			if d := cmp.Diff(want, show(t, filepath.Join(to, "new"))); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if left := show(t, from); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			st, err := os.Stat(filepath.Join(to, "new/a/f"))
			if err != nil || st.Mode() != 0o751|fs.ModeSetuid {
				t.Errorf("mode %v, %v", st.Mode(), err)
			}
		})
	}
	t.Run("over the budget", func(t *testing.T) {
		t.Parallel()
		from := t.TempDir()
		build(t, from, entries...)
		to, err := os.MkdirTemp(other, "move")
		if err != nil {
			t.Skip(err)
		}
		defer os.RemoveAll(to)
		err = tree.Move(filepath.Join(from, "a"), filepath.Join(to, "a"), &tree.Budget{Bytes: 5, Entries: 100})
		if over := new(tree.OverBudgetError); !errors.As(err, &over) {
			t.Error(err)
		}
	})
	t.Run("never over something", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		build(t, dir, "a=1", "b->a")
		if err := tree.Move(dir+"/a", dir+"/b", &tree.Budget{}); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
	})
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build(t, dir, "a/", "a/f=12345", "a/b/", "a/b/g=123", "up->..", "etc->/etc", "pipe|")
	if err := os.Truncate(filepath.Join(dir, "a/f"), 5000); err != nil {
		t.Fatal(err)
	}
	bytes, files, err := tree.Measure(dir)
	if bytes != 5003 || files != 5 || err != nil {
		t.Errorf("%d bytes, %d files, %v", bytes, files, err)
	}
	if bytes, files, err := tree.Measure(dir + "/none/at/all"); bytes != 0 || files != 0 || err != nil {
		t.Errorf("nothing: %d bytes, %d files, %v", bytes, files, err)
	}
	if bytes, files, err := tree.Measure(dir + "/up"); bytes != 0 || files != 1 || err != nil {
		t.Errorf("a link: %d bytes, %d files, %v", bytes, files, err)
	}
}
