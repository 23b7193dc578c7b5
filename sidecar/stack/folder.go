package stack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxFile bounds every file that is read here, in bytes. Real compose files have a few hundred lines.
const maxFile = 1 << 20

// folder is the task's folder, seen so that no link leads out of it.
type folder struct {
	path string // absolute, clean
	root *os.Root
}

func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening the task's folder: %w", err)
	}
	return &folder{path: filepath.Clean(path), root: root}, nil
}

func (f *folder) close() { _ = f.root.Close() }

// rel gives path relative to the folder, and false when it is outside by its spelling alone.
func (f *folder) rel(path string) (string, bool) {
	rel, err := filepath.Rel(f.path, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// stat describes what an absolute path leads to. A path that leaves the folder by its spelling or through a link is
// errOutside.
func (f *folder) stat(path string) (fs.FileInfo, error) {
	rel, ok := f.rel(path)
	if !ok {
		return nil, errOutside
	}
	info, err := f.root.Stat(rel)
	if err == nil {
		return info, nil
	}
	// os.Root has no error of its own for a path that leaves it; all others come from the system.
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return nil, fmt.Errorf("looking at %s: %w", rel, err)
	}
	return nil, errOutside
}

// read gives the content of a regular file in the folder, at most maxFile bytes of it.
func (f *folder) read(path string) ([]byte, error) {
	info, err := f.stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	rel, _ := f.rel(path)
	file, err := f.root.Open(rel)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	if len(data) > maxFile {
		return nil, errTooBig
	}
	return data, nil
}

var (
	errOutside    = errors.New("leads out of the task's folder")
	errNotRegular = errors.New("is not a regular file")
	errTooBig     = errors.New("is larger than 1 MiB")
)
