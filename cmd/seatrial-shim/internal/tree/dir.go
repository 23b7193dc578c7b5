//go:build linux

// Package tree removes, moves and measures folders whose content may be hostile: no link in them is followed, and
// neither depth nor number of entries can exhaust the process.
package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// dirFlags opens a folder and nothing else.
const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// place is a name in an open folder. Everything is done relative to such a folder, so that nobody can swap a part of the path
// for a link in between.
type place struct {
	dir  *os.File
	name string
}

// locate opens the parent folder of an absolute path. Links above the path's last part are followed.
func locate(p string) (place, error) {
	clean := path.Clean(p)
	if !path.IsAbs(p) || clean == "/" {
		return place{}, &fs.PathError{Op: "open", Path: p, Err: errPath}
	}
	f, err := os.OpenFile(path.Dir(clean), unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return place{}, err
	}
	return place{f, path.Base(clean)}, nil
}

func parent(p string) string { return path.Dir(path.Clean(p)) }

var errPath = errors.New("not an absolute path below /")

func (p place) fd() int { return int(p.dir.Fd()) }

func (p place) path() string { return path.Join(p.dir.Name(), p.name) }

func (p place) close() { _ = p.dir.Close() } // it was only read

func (p place) errorf(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: p.path(), Err: err}
}

func (p place) stat() (unix.Stat_t, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(p.fd(), p.name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return st, p.errorf("stat", err)
}

// open opens the folder at p.
func (p place) open() (*os.File, error) {
	fd := -1
	err := retry(func() (err error) {
		fd, err = unix.Openat(p.fd(), p.name, dirFlags, 0)
		return err
	})
	if err != nil {
		return nil, p.errorf("open", err)
	}
	return os.NewFile(uintptr(fd), p.path()), nil
}

func (p place) unlink(flags int) error {
	return p.errorf("remove", retry(func() error { return unix.Unlinkat(p.fd(), p.name, flags) }))
}

func (p place) mkdir(mode uint32) error {
	return p.errorf("make", unix.Mkdirat(p.fd(), p.name, mode))
}

func (p place) rename(to place) error {
	return p.errorf("move", unix.Renameat(p.fd(), p.name, to.fd(), to.name))
}

// names returns up to n names in a folder, io.EOF with none left.
func names(dir *os.File, n int) ([]string, error) {
	list, err := dir.Readdirnames(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(list) == 0 {
		return nil, io.EOF
	}
	return list, nil
}

func isDir(st unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFDIR }

func retry(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
