package regular_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seatrial/seatrial/internal/regular"
)

func TestReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{os.WriteFile(at("file"), []byte("12345"), 0o600), os.Symlink("file", at("link")), os.Symlink("/etc/hostname", at("out")), os.Mkdir(at("folder"), 0o700), syscall.Mkfifo(at("pipe"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, c := range []struct {
		name             string
		most             int64
		any, itself, own bool // Read, ReadItself and ReadIn succeed
	}{
		{"file", 5, true, true, true}, {"file", 4, false, false, false}, {"link", 5, true, false, true}, {"out", 1 << 10, true, false, false},
		{"folder", 5, false, false, false}, {"pipe", 5, false, false, false}, {"none", 5, false, false, false},
	} {
		_, a := regular.Read(at(c.name), c.most)
		_, b := regular.ReadItself(at(c.name), c.most)
		_, d := regular.ReadIn(root, c.name, c.most)
		if (a == nil) != c.any && c.name != "out" || (b == nil) != c.itself || (d == nil) != c.own {
			t.Errorf("%s: %v, %v, %v", c.name, a, b, d)
		}
		if c.name == "file" && c.most == 4 && !errors.As(a, new(*regular.TooLargeError)) {
			t.Error(a)
		}
	}
}
