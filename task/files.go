package task

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// errNotRegular says that a name stands for something that cannot be read as a file.
var errNotRegular = errors.New("it is not a regular file")

// openRegular opens a file below root. It does not wait on a pipe that has taken the file's place.
func openRegular(root *os.Root, path string) (*os.File, error) {
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readUpTo reads the first most bytes of a file, and tells whether there are more.
func readUpTo(root *os.Root, path string, most int64) (data []byte, more bool, err error) {
	f, err := openRegular(root, path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, false, fmt.Errorf("read: %w", err)
	}
	if int64(len(data)) > most {
		return data[:most], true, nil
	}
	return data, false, nil
}

// isNotDir reports that something on the way to a file is no folder, so the file cannot be there.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
