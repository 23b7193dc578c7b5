//go:build linux

package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Budget bounds what is copied where a rename is not possible.
type Budget struct {
	Bytes   int64
	Entries int64
}

// OverBudgetError says that not all could be copied; the rest is still in its old place.
type OverBudgetError struct{ Path string }

// Error names the first path that was too much.
func (e *OverBudgetError) Error() string { return "too much to copy, from " + e.Path + " on" }

// Move moves what is at from, of whatever type, to the path to, which must not exist, and makes to's parents. It is a
// rename where possible. A copy follows where the kernel refuses that (another file system, or a folder of an overlay's lower
// layer): owners, modes and times stay, extended attributes and hard links do not. budget is then counted down, and at
// its end an *OverBudgetError comes back. A mount point inside from cannot move and is an error.
func Move(from, to string, budget *Budget) error {
	if err := os.MkdirAll(parent(to), 0o755); err != nil {
		return err
	}
	src, err := locate(from)
	if err != nil {
		return err
	}
	defer src.close()
	dst, err := locate(to)
	if err != nil {
		return err
	}
	defer dst.close()
	if _, err := dst.stat(); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = dst.errorf("move", fs.ErrExist)
		}
		return err
	}
	return move(src, dst, budget, 0)
}

// MoveContent moves all that is in the folder from into the folder to, as Move does. Both must exist.
func MoveContent(from, to string, budget *Budget) error {
	src, err := locate(from)
	if err != nil {
		return err
	}
	defer src.close()
	dst, err := locate(to)
	if err != nil {
		return err
	}
	defer dst.close()
	return moveContent(src, dst, budget, 0)
}

func move(src, dst place, budget *Budget, depth int) error {
	err := src.rename(dst)
	if err == nil || !crossing(err) {
		return err
	}
	st, err := src.stat()
	if err != nil {
		return err
	}
	if budget.Entries--; budget.Entries < 0 || depth > maxDepth {
		return over(src)
	}
	if isDir(st) {
		return moveDir(src, dst, st, budget, depth)
	}
	if err := copyEntry(src, dst, st, budget); err != nil {
		_ = dst.unlink(0) // what is half there is of no use
		return err
	}
	return src.unlink(0)
}

// crossing says whether a rename failed since it would cross file systems. A mount point gives EBUSY, its content EXDEV.
func crossing(err error) bool { return errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EBUSY) }

func moveDir(src, dst place, st unix.Stat_t, budget *Budget, depth int) error {
	if err := dst.mkdir(0o700); err != nil {
		return err
	}
	if err := moveContent(src, dst, budget, depth); err != nil {
		return err
	}
	dir, err := dst.open()
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := adopt(dir, st); err != nil {
		return err
	}
	return src.unlink(unix.AT_REMOVEDIR)
}

func moveContent(src, dst place, budget *Budget, depth int) error {
	from, err := src.open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := dst.open()
	if err != nil {
		return err
	}
	defer to.Close()
	for {
		// Each round begins anew, since what is moved away may upset the listing's position.
		if _, err := from.Seek(0, io.SeekStart); err != nil {
			return err
		}
		list, err := names(from, 512)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, name := range list {
			if err := move(place{from, name}, place{to, name}, budget, depth+1); err != nil {
				return err
			}
		}
	}
}

func over(p place) error {
	return &OverBudgetError{Path: p.path()}
}
