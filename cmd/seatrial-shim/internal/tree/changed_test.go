//go:build linux

package tree_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/tree"
)

func TestChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Second)
	for _, tc := range []struct {
		name  string
		since time.Time
		want  int64
	}{
		{"files made since are counted, wherever they are", later.Add(-time.Hour), 2},
		{"older files are not", later.Add(time.Hour), 0},
	} {
		write("sub/new")
		got, all, err := tree.Changed(dir, tc.since)
		if err != nil || !all || got != tc.want {
			t.Errorf("%s: %d, %v, %v; want %d", tc.name, got, all, err, tc.want)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, "old"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got, _, err := tree.Changed(dir, later.Add(-time.Hour)); err != nil || got != 2 {
		t.Errorf("a file whose times were set back: %d, %v; want 2", got, err)
	}
	if got, all, err := tree.Changed(filepath.Join(dir, "none"), later); err != nil || !all || got != 0 {
		t.Errorf("a missing folder: %d, %v, %v", got, all, err)
	}
}
