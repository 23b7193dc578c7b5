package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
)

// Bounds of what is read of one task.
const (
	maxFile  = 1 << 20
	maxFiles = 2000
)

// folder reads a task's files without leaving its folder, and each file once.
type folder struct {
	root *os.Root
	read map[string][]byte
	long map[string]int64
}

var errNotRead = errors.New("it is no regular file, or it is too large")

// file gives what a file below the folder holds, or nil when it cannot be read or is larger than any script.
func (f *folder) file(rel string) []byte {
	if data, ok := f.read[rel]; ok {
		return data
	}
	data, err := f.load(rel)
	if err != nil {
		data = nil
	}
	f.read[rel] = data
	return data
}

func (f *folder) load(rel string) ([]byte, error) {
	file, err := f.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, errNotRead
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// has says whether something of this name is below the folder.
func (f *folder) has(rel string) bool {
	_, err := f.root.Stat(rel)
	return err == nil
}

// size is a regular file's size in bytes, or -1.
func (f *folder) size(rel string) int64 {
	if n, ok := f.long[rel]; ok {
		return n
	}
	n := int64(-1)
	if info, err := f.root.Lstat(rel); err == nil && info.Mode().IsRegular() {
		n = info.Size()
	}
	f.long[rel] = n
	return n
}

// under lists the files below a folder, with slashes, sorted, and not more than are looked at.
func (f *folder) under(dir string) []string {
	var all []string
	_ = fs.WalkDir(f.root.FS(), dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(all) >= maxFiles:
			return fs.SkipDir
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.Type().IsRegular():
			all = append(all, p)
		}
		return nil
	})
	slices.Sort(all)
	return all
}

// beside gives a path from a folder of the task.
func beside(dir, name string) string { return path.Join(dir, name) }
