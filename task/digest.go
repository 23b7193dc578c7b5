package task

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// MaxFiles is the most files of a task folder.
const MaxFiles = 200_000

// DigestError says that a task's content has no digest.
type DigestError struct {
	// Path is the file at fault, below the task's folder; "." is the folder.
	Path string
	// Reason is set when Err is not.
	Reason string
	Err    error
}

// Error names the file and what is wrong with it.
func (e *DigestError) Error() string {
	if e.Err != nil {
		return "digest of the task: " + printable(e.Path) + ": " + e.Err.Error()
	}
	return "digest of the task: " + printable(e.Path) + ": " + e.Reason
}

// Unwrap returns the file system's error.
func (e *DigestError) Unwrap() error { return e.Err }

// Digest returns "sha256:" and the hash of a task folder's content: the path, the execute bit and the bytes of each
// file, and the target of each link, sorted by path. Links are never followed. Folders, times, owners and a .git at
// the top do not count, so that a fresh checkout has the same digest. Every error is a *DigestError; a device, pipe or
// socket is one.
func Digest(dir string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", &DigestError{Path: dir, Err: err}
	}
	defer root.Close()
	files, err := entries(root)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	// NUL ends each part, since no path can hold one. The first line tells this way of counting from later ones.
	fmt.Fprint(sum, "task digest 1\x00")
	for _, f := range files {
		kind, content, err := f.hash(root)
		if err != nil {
			return "", &DigestError{Path: f.path, Err: err}
		}
		fmt.Fprintf(sum, "%s\x00%s\x00%s\x00", f.path, kind, content)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

type entry struct {
	path string
	mode fs.FileMode
}

func entries(root *os.Root) ([]entry, error) {
	var files []entry
	err := fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return &DigestError{Path: path, Err: err}
		case d.IsDir() && path == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		case len(files) == MaxFiles:
			return &DigestError{Path: ".", Reason: fmt.Sprintf("the folder holds more than %d files", MaxFiles)}
		}
		info, err := d.Info()
		if err != nil {
			return &DigestError{Path: path, Err: err}
		}
		if t := info.Mode().Type(); t != 0 && t != fs.ModeSymlink {
			return &DigestError{Path: path, Reason: "is neither a file, a folder nor a link"}
		}
		files = append(files, entry{path, info.Mode()})
		return nil
	})
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	return files, err //nolint:wrapcheck // a *DigestError already
}

// hash returns the kind of the file and the hash of what it holds.
func (e entry) hash(root *os.Root) (kind, content string, err error) {
	sum := sha256.New()
	if e.mode.Type() == fs.ModeSymlink {
		target, err := root.Readlink(e.path)
		if err != nil {
			return "", "", fmt.Errorf("read the link: %w", err)
		}
		fmt.Fprint(sum, target)
		return "link", hex.EncodeToString(sum.Sum(nil)), nil
	}
	f, err := openRegular(root, e.path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	if _, err := io.Copy(sum, f); err != nil {
		return "", "", fmt.Errorf("read: %w", err)
	}
	kind = "file"
	if e.mode&0o111 != 0 {
		kind = "executable"
	}
	return kind, hex.EncodeToString(sum.Sum(nil)), nil
}
