package task

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// CopyLimit is the most bytes of a task's folder that are copied.
const CopyLimit = 4 << 30

// ErrChanged says that a task's files are not those of its digest any more.
var ErrChanged = errors.New("the task's files changed meanwhile")

// Copy makes to, which must not be there, a copy of what counts in a task's folder: all that Digest looks at, with the folders that hold it, and nothing else. Links are
// copied as links. It fails with ErrChanged, and leaves nothing behind, when the copy's digest is not sum; else with a *DigestError or the error of what is written.
func Copy(dir, to, sum string) (err error) {
	from, err := os.OpenRoot(dir)
	if err != nil {
		return &DigestError{Path: dir, Err: err}
	}
	defer from.Close()
	files, err := entries(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return fmt.Errorf("copy of the task: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(to) // made here, and held by nobody
		}
	}()
	into, err := os.OpenRoot(to)
	if err != nil {
		return fmt.Errorf("copy of the task: %w", err)
	}
	defer into.Close()
	if err := folders(from, into); err != nil {
		return err
	}
	left := int64(CopyLimit)
	for _, f := range files {
		n, err := f.copy(from, into, left)
		if err != nil {
			return &DigestError{Path: f.path, Err: err}
		}
		left -= n
	}
	if now, err := Digest(to); err != nil {
		return err
	} else if now != sum {
		return ErrChanged
	}
	return nil
}

// folders makes the folders, empty ones too: a build may copy them.
func folders(from, into *os.Root) error {
	return fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error { //nolint:wrapcheck // wrapped inside
		switch {
		case err != nil:
			return &DigestError{Path: name, Err: err}
		case !d.IsDir() || name == ".":
			return nil
		case name == ".git":
			return fs.SkipDir
		}
		if err := into.MkdirAll(name, 0o755); err != nil {
			return fmt.Errorf("copy of the task: %w", err)
		}
		return nil
	})
}

// copy copies one file of at most left bytes, and says how many it had.
func (e entry) copy(from, into *os.Root, left int64) (int64, error) {
	if err := into.MkdirAll(path.Dir(e.path), 0o755); err != nil {
		return 0, fmt.Errorf("write: %w", err)
	}
	if e.mode.Type() == fs.ModeSymlink {
		target, err := from.Readlink(e.path)
		if err == nil {
			err = into.Symlink(target, e.path)
		}
		if err != nil {
			return 0, fmt.Errorf("copy the link: %w", err)
		}
		return 0, nil
	}
	f, err := openRegular(from, e.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	mode := fs.FileMode(0o644)
	if e.mode&0o111 != 0 {
		mode = 0o755
	}
	out, err := into.OpenFile(e.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return 0, fmt.Errorf("write: %w", err)
	}
	n, err := io.Copy(out, io.LimitReader(f, left+1))
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil && n > left {
		err = fmt.Errorf("the task's folder holds more than %d GiB", CopyLimit>>30)
	}
	if err != nil {
		return 0, fmt.Errorf("copy: %w", err)
	}
	return n, nil
}
