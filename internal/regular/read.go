package regular

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// TooLargeError says that a file has more bytes than are read.
type TooLargeError struct{ Most int64 }

func (e *TooLargeError) Error() string { return fmt.Sprintf("larger than %d bytes", e.Most) }

// Read reads a regular file, through links if need be. One of more than most bytes is a *TooLargeError, and what is no file ErrRefused; a pipe is not waited for.
func Read(name string, most int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	defer f.Close()
	return ReadFrom(f, most)
}

// ReadItself reads a regular file as Read does, and refuses a link.
func ReadItself(name string, most int64) ([]byte, error) {
	before, err := os.Lstat(name)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, ErrRefused
	}
	return ReadFrom(f, most)
}

// ReadIn reads a regular file below root as Read does; a link that leads out is an error.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	defer f.Close()
	return ReadFrom(f, most)
}

// ReadFrom reads an open regular file as Read does.
func ReadFrom(f *os.File, most int64) ([]byte, error) {
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, ErrRefused
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // it names the file
	case int64(len(data)) > most:
		return nil, &TooLargeError{Most: most}
	}
	return data, nil
}
