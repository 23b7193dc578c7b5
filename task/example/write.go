package example

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// TargetError says that an example cannot be written where it was wanted.
type TargetError struct {
	Path   string
	Reason string
	// Err is the file system's error, if there is one.
	Err error
}

// Error says what is in the way.
func (e *TargetError) Error() string {
	s := fmt.Sprintf("%q: %s", e.Path, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the file system's error.
func (e *TargetError) Unwrap() error { return e.Err }

// Write writes the example of a kind as the new folder name below dir, which is made if it is not there, and returns what it wrote. Nothing that exists is
// changed: the folder appears whole under its name, or not at all. The error is a *NameError, a *KindError or a *TargetError.
func Write(kind, dir, name string) ([]File, error) {
	all, err := Files(kind, name)
	if err != nil {
		return nil, err
	}
	root, err := open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	target := filepath.Join(dir, name)
	if err := free(root, target, name); err != nil {
		return nil, err
	}
	made, err := os.MkdirTemp(root.Name(), "."+name+".*")
	if err != nil {
		return nil, &TargetError{Path: target, Reason: "cannot be made", Err: err}
	}
	temp := filepath.Base(made)
	err = fill(root, temp, all)
	if err == nil {
		if err = free(root, target, name); err == nil {
			err = root.Rename(temp, name)
		}
	}
	if err == nil {
		return all, nil
	}
	err = errors.Join(err, root.RemoveAll(temp))
	var known *TargetError
	if errors.As(err, &known) {
		return nil, err
	}
	return nil, &TargetError{Path: target, Reason: "cannot be written", Err: err}
}

// open makes sure of the folder that the example goes into. A link in its place could lead anywhere and is refused.
func open(dir string) (*os.Root, error) {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(dir, 0o755)
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &TargetError{Path: dir, Reason: "it is a link; name the folder that it leads to"}
	case !info.IsDir():
		return nil, &TargetError{Path: dir, Reason: "it is not a folder"}
	}
	if err != nil {
		return nil, &TargetError{Path: dir, Reason: "cannot be used as a folder", Err: err}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &TargetError{Path: dir, Reason: "cannot be opened", Err: err}
	}
	return root, nil
}

// free refuses a name that is taken, by a link that leads nowhere too.
func free(root *os.Root, target, name string) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &TargetError{Path: target, Reason: "cannot be looked at", Err: err}
	case info.Mode()&fs.ModeSymlink != 0:
		return &TargetError{Path: target, Reason: "there is a link of that name already; nothing is overwritten, choose another name"}
	case info.IsDir():
		return &TargetError{Path: target, Reason: "the folder is there already; nothing is overwritten, choose another name"}
	}
	return &TargetError{Path: target, Reason: "there is a file of that name already; nothing is overwritten, choose another name"}
}

// fill writes the files below temp, which nobody else knows of yet.
func fill(root *os.Root, temp string, all []File) error {
	if err := root.Chmod(temp, 0o755); err != nil {
		return fmt.Errorf("mode: %w", err)
	}
	for _, f := range all {
		at := path.Join(temp, f.Path)
		if err := root.MkdirAll(path.Dir(at), 0o755); err != nil {
			return fmt.Errorf("folder: %w", err)
		}
		mode := fs.FileMode(0o644)
		if f.Script {
			mode = 0o755
		}
		if err := root.WriteFile(at, f.Data, mode); err != nil {
			return fmt.Errorf("file: %w", err)
		}
		if err := root.Chmod(at, mode); err != nil { // whatever the umask
			return fmt.Errorf("mode: %w", err)
		}
	}
	return nil
}
