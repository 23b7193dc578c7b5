//go:build linux

package state_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/state"
)

// packed are the entries of an archive, as kind, name and content, sorted.
func packed(t *testing.T, root string, do func(*state.Writer) error) []string {
	t.Helper()
	var b bytes.Buffer
	w := state.NewWriter(&b)
	if err := errors.Join(do(w), w.Close()); err != nil {
		t.Fatal(err)
	}
	var all []string
	r := tar.NewReader(&b)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(all)
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(h.Name, strings.TrimPrefix(root, "/"))
		all = append(all, string(h.Typeflag)+" "+name+" "+strings.TrimPrefix(h.Linkname, strings.TrimPrefix(root, "/"))+" "+string(data))
	}
}

func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "one", "sub/b": "two", "sub/deep/c": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("/etc/passwd", filepath.Join(dir, "link")), os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "twin")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return dir
}

func TestTree(t *testing.T) {
	t.Parallel()
	dir := filled(t)
	got := packed(t, dir, func(w *state.Writer) error { return w.Tree(dir) })
	want := []string{"0 /a  one", "0 /sub/b  two", "0 /sub/deep/c  ", "1 /twin /a ", "2 /link /etc/passwd ", "5 /  ", "5 /sub/  ", "5 /sub/deep/  ", "6 /pipe  "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	dir := filled(t)
	got := packed(t, dir, func(w *state.Writer) error {
		return errors.Join(w.Path(filepath.Join(dir, "sub")), w.Path(filepath.Join(dir, "not-there")), w.Path(filepath.Join(dir, "a/below-a-file")), w.Path("/"))
	})
	if !slices.Equal(got, []string{"5 /sub/  "}) {
		t.Errorf("got %q", got)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := filled(t)
	for _, name := range []string{"sub", "link", "not-there", "a"} {
		if err := state.Remove(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	if err := state.Remove("/"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("/etc/passwd"); err != nil {
		t.Error("what a link led to is gone")
	}
}
