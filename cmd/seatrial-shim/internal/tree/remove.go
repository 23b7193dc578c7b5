//go:build linux

package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxDepth is how many folders are open at once; deeper ones are moved up first.
const maxDepth = 64

// maxRounds bounds how often a folder is emptied again that somebody fills meanwhile.
const maxRounds = 20

// Remove removes what is at the absolute path and all below it. A missing path is fine. A mount point is emptied and stays;
// kept says so.
func Remove(p string) (kept bool, err error) {
	at, err := locate(p)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer at.close()
	err = at.remove()
	if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EROFS) { // the latter where the mount point lies on a read-only root
		return true, at.mustBeEmpty()
	}
	return false, err
}

func (p place) remove() error {
	err := p.unlink(0)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	// Linux answers EISDIR for a folder, POSIX and some file systems EPERM.
	st, serr := p.stat()
	if serr != nil || !isDir(st) {
		return err
	}
	for range maxRounds {
		if err = p.empty(); err != nil {
			return err
		}
		err = p.unlink(unix.AT_REMOVEDIR)
		if !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, unix.ENOTEMPTY) {
		return p.aside()
	}
	return err
}

// aside is for a folder that somebody fills faster than it can be emptied: under another name it is not found by its path.
func (p place) aside() error {
	e := emptier{top: p.dir}
	if err := e.lift(p); err != nil {
		return err
	}
	other := place{p.dir, e.name()}
	if err := other.empty(); err != nil {
		return err
	}
	return other.unlink(unix.AT_REMOVEDIR)
}

// empty removes all that is in the folder at p.
func (p place) empty() error {
	dir, err := p.open()
	if err != nil {
		return err
	}
	defer dir.Close()
	e := emptier{top: dir}
	return e.empty(dir, 0)
}

// mustBeEmpty is for a mount point that stays.
func (p place) mustBeEmpty() error {
	dir, err := p.open()
	if err != nil {
		return err
	}
	defer dir.Close()
	if list, err := names(dir, 1); !errors.Is(err, io.EOF) {
		if err == nil {
			err = unix.ENOTEMPTY
			p.name += "/" + list[0]
		}
		return p.errorf("remove", err)
	}
	return nil
}

// emptier empties folders below top.
type emptier struct {
	top   *os.File
	moved int
}

func (e *emptier) empty(dir *os.File, depth int) error {
	// A folder's listing may skip names while others are removed from it, so it is read again until it is empty.
	for rounds := 0; rounds < maxRounds; {
		if _, err := dir.Seek(0, io.SeekStart); err != nil {
			return err
		}
		found, moved := false, e.moved
		for {
			list, err := names(dir, 512)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			found = true
			for _, name := range list {
				if err := e.remove(place{dir, name}, depth); err != nil {
					return err
				}
			}
		}
		if !found {
			return nil
		}
		if moved == e.moved {
			rounds++
		}
	}
	return nil // the caller's rmdir tells
}

func (e *emptier) remove(p place, depth int) error {
	err := p.unlink(0)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	st, serr := p.stat()
	if serr != nil || !isDir(st) {
		return err
	}
	if p.unlink(unix.AT_REMOVEDIR) == nil {
		return nil
	}
	if depth >= maxDepth && e.lift(p) == nil {
		return nil
	}
	dir, err := p.open()
	if err != nil {
		return err
	}
	err = e.empty(dir, depth+1)
	_ = dir.Close()
	if err != nil {
		return err
	}
	err = p.unlink(unix.AT_REMOVEDIR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// lift moves a folder up to the top, where its turn comes again.
func (e *emptier) lift(p place) error {
	for {
		e.moved++
		err := p.rename(place{e.top, e.name()})
		if !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.ENOTDIR) {
			return err
		}
	}
}

func (e *emptier) name() string { return ".seatrial-" + strconv.Itoa(e.moved) }
