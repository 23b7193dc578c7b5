package archive_test

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seatrial/seatrial/sidecar/archive"
)

func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, in{name: "a/", kind: tar.TypeDir}, in{name: "a/b", data: "x"}, in{name: "l", kind: tar.TypeSymlink, link: "../x"}, in{name: "l/../../x", data: "y"}))
	f.Add(pack(f, in{name: "/a", data: "x"}, in{name: "h", kind: tar.TypeLink, link: "a"}, in{name: "A", data: "y"}, in{name: "a\xff", data: "y"}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "dst")
		must(t, os.Mkdir(dir, 0o755))
		root, err := os.OpenRoot(dir)
		must(t, err)
		defer root.Close()
		list, _ := archive.Unpack(bytes.NewReader(data), root, archive.UnpackOptions{
			FoldCase: true,
			Capture:  map[string]int64{"a/b": 10},
			Limits:   archive.Limits{File: 1000, Total: 5000, Entries: 50, Depth: 8, Path: 300},
		})
		if list.Bytes > 5000 || len(list.Entries) > 50 || len(list.Captured["a/b"].Data) > 10 {
			t.Errorf("limits passed: %d bytes, %d entries", list.Bytes, len(list.Entries))
		}
		if beside, err := os.ReadDir(parent); err != nil || len(beside) != 1 {
			t.Errorf("beside the destination: %v, %v", beside, err)
		}
		must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !d.Type().IsRegular() {
				t.Errorf("%s is %v", path, d.Type())
			}
			return err
		}))
		for _, e := range list.Entries {
			if e.Path != "" {
				if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path))); err != nil {
					t.Errorf("%q is said to be at %q: %v", e.Name, e.Path, err)
				}
			}
		}
	})
}
