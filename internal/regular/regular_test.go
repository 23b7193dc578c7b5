package regular_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/internal/regular"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := filepath.Join(dir, "in")
	must(os.MkdirAll(filepath.Join(in, "a", "b"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o644))
	must(os.WriteFile(filepath.Join(in, "a", "b", "log"), []byte("text"), 0o644))
	must(os.Symlink("../../secret", filepath.Join(in, "a", "out")))
	must(os.Symlink("b/log", filepath.Join(in, "a", "within")))
	must(os.Symlink("a", filepath.Join(in, "folder")))
	must(os.Symlink("loop", filepath.Join(in, "loop")))
	must(syscall.Mkfifo(filepath.Join(in, "pipe"), 0o644))
	root, err := os.OpenRoot(in)
	must(err)
	defer root.Close()
	for _, c := range []struct {
		name, path string
		ok         bool
	}{
		{"a file", "a/b/log", true},
		{"a file by a long way", "a/./b/../b/log", true},
		{"a link out", "a/out", false},
		{"a link within", "a/within", false},
		{"a file behind a linked folder", "folder/b/log", false},
		{"a link to itself", "loop", false},
		{"a pipe", "pipe", false},
		{"a folder", "a", false},
		{"the root", ".", false},
		{"the root by no name", "", false},
		{"above the root", "../secret", false},
		{"above the root from below", "a/../../secret", false},
		{"from the top", filepath.Join(dir, "secret"), false},
		{"what is not there", "a/none", false},
		{"below a file", "a/b/log/x", false},
		{"a name with a zero byte", "a\x00b", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := regular.Open(root, c.path)
			if (err == nil) != c.ok {
				t.Fatalf("opened: %v, error: %v", f != nil, err)
			}
			if err != nil {
				return
			}
			defer f.Close()
			if data, _ := io.ReadAll(f); string(data) != "text" {
				t.Errorf("read %q", data)
			}
		})
	}
}
