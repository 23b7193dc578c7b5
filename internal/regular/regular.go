// Package regular opens files of folders that somebody else has filled.
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrRefused says that something is no regular file, or can be reached through a link only.
var ErrRefused = errors.New("no regular file, or behind a link")

// Open opens a regular file below root for reading. The name has slashes. No link is followed, not even one that stays below root, and nothing waits for the
// other end of a pipe.
func Open(root *os.Root, name string) (*os.File, error) {
	fail := func(err error) error { return fmt.Errorf("open %s: %w", name, err) }
	name = path.Clean(name)
	if name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fail(ErrRefused)
	}
	for at := range prefixes(name) {
		st, err := root.Lstat(filepath.FromSlash(at))
		if err != nil {
			return nil, fail(err)
		}
		if st.Mode()&fs.ModeSymlink != 0 || at == name && !st.Mode().IsRegular() {
			return nil, fail(ErrRefused)
		}
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that has taken the file's place is not waited for
	if err != nil {
		return nil, fail(err)
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		_ = f.Close()
		return nil, fail(ErrRefused)
	}
	return f, nil
}

// prefixes are the folders on the way to a file, and then the file.
func prefixes(name string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(name); i++ {
			n := strings.IndexByte(name[i:], '/')
			if n < 0 {
				break
			}
			i += n
			if !yield(name[:i]) {
				return
			}
		}
		yield(name)
	}
}
