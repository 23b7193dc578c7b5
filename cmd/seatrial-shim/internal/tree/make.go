//go:build linux

package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Make makes the folder p and its parents where they are missing (parents with mode 0755). Where mode is not 0 it is set, also on
// a folder that was there. Anything else at p, a link too, is an error.
func Make(p string, mode uint32) error {
	if err := os.MkdirAll(parent(p), 0o755); err != nil {
		return err
	}
	at, err := locate(p)
	if err != nil {
		return err
	}
	defer at.close()
	err = at.mkdir(0o755)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dir, err := at.open()
	if err != nil {
		return err
	}
	defer dir.Close()
	if mode == 0 {
		return nil
	}
	return at.errorf("set the mode of", unix.Fchmod(int(dir.Fd()), mode&0o7777))
}

// Own makes the folder p this process's own with the mode, and takes away other access that its access lists give.
func Own(p string, mode uint32) error {
	at, err := locate(p)
	if err != nil {
		return err
	}
	defer at.close()
	dir, err := at.open()
	if err != nil {
		return err
	}
	defer dir.Close()
	fd := int(dir.Fd())
	for _, acl := range []string{"system.posix_acl_access", "system.posix_acl_default"} {
		_ = unix.Fremovexattr(fd, acl) // mostly there is none, or the file system knows none
	}
	if err := unix.Fchown(fd, os.Geteuid(), os.Getegid()); err != nil {
		return at.errorf("take over", err)
	}
	return at.errorf("set the mode of", unix.Fchmod(fd, mode&0o7777))
}

// Kind is what a path holds.
type Kind int

// The kinds of paths.
const (
	Missing Kind = iota
	EmptyFolder
	Folder
	File // a regular one
	Link
	Other
)

// Look says what is at the absolute path p itself.
func Look(p string) (Kind, error) {
	at, err := locate(p)
	if errors.Is(err, fs.ErrNotExist) {
		return Missing, nil
	}
	if err != nil {
		return Missing, err
	}
	defer at.close()
	st, err := at.stat()
	if errors.Is(err, fs.ErrNotExist) {
		return Missing, nil
	}
	if err != nil {
		return Missing, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return at.lookInside()
	case unix.S_IFREG:
		return File, nil
	case unix.S_IFLNK:
		return Link, nil
	default:
		return Other, nil
	}
}

func (p place) lookInside() (Kind, error) {
	dir, err := p.open()
	if err != nil {
		return Folder, err
	}
	defer dir.Close()
	_, err = names(dir, 1)
	if errors.Is(err, io.EOF) {
		return EmptyFolder, nil
	}
	return Folder, err
}

// Executable adds the execute bits to the regular file p. Where they are all there already nothing is written.
func Executable(p string) error {
	at, err := locate(p)
	if err != nil {
		return err
	}
	defer at.close()
	st, err := at.stat()
	if err != nil {
		return err
	}
	const x = 0o111
	if st.Mode&unix.S_IFMT == unix.S_IFREG && st.Mode&x == x {
		return nil
	}
	f, st, err := at.openFile()
	if err != nil {
		return err
	}
	defer f.Close()
	return at.errorf("set the mode of", unix.Fchmod(int(f.Fd()), st.Mode&0o7777|x))
}
