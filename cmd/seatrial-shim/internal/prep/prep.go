//go:build linux

// Package prep carries out what a spec wants done before its command starts.
package prep

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/tree"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// Result is what came of preparing.
type Result struct {
	Kept     []string
	Warnings []shim.Warning
}

// Error says which preparation failed.
type Error struct {
	Op   string
	Path string
	Err  error
}

// Error says what was to be done and what the system answered.
func (e *Error) Error() string { return "cannot " + e.Op + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// What is kept is evidence for people; a command that left more must not stop the grading.
const (
	maxKeptBytes   = 256 << 20
	maxKeptEntries = 20_000
)

// Do carries out the ops in order and stops at the first that fails, with an *Error.
func Do(ops []shim.Prep) (Result, error) {
	var r Result
	for _, op := range ops {
		if err := r.do(op); err != nil {
			return r, &Error{Op: op.Op, Path: op.Path, Err: err}
		}
	}
	return r, nil
}

var (
	errUnknownOp = errors.New("there is no such preparation")
	errPath      = errors.New("the path is not absolute, or it is /")
	errNested    = errors.New("one path lies within the other")
	errNoFrom    = errors.New("what it was to be replaced by is missing, or is a link")
	errMounted   = errors.New("it is a mount point, which only a folder can replace")
)

func (r *Result) do(op shim.Prep) error {
	for _, p := range []string{op.Path, op.From, op.Keep} {
		if p != "" && (!path.IsAbs(p) || path.Clean(p) == "/") {
			return errPath
		}
	}
	if op.Path == "" {
		return errPath
	}
	if within(op.Keep, op.Path) || within(op.From, op.Path) {
		return errNested
	}
	switch op.Op {
	case "empty":
		return r.empty(op)
	case "replace":
		return r.replace(op)
	case "executable":
		return r.executable(op.Path)
	case "mkdir":
		return tree.Make(op.Path, op.Mode)
	case "remove":
		_, err := tree.Remove(op.Path)
		return err
	case "text":
		err := text(op.Path, op.Text)
		if errors.Is(err, syscall.EROFS) {
			r.Warnings = append(r.Warnings, shim.Warning{Code: "read_only", Detail: op.Path + " cannot be written"})
			return nil
		}
		return err
	default:
		return errUnknownOp
	}
}

// text writes into the file that is there, since one that is mounted cannot be replaced.
func text(name, content string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// defaultMode is for folders whose mode the spec leaves open.
const defaultMode = 0o755

func (r *Result) empty(op shim.Prep) error {
	mode := op.Mode
	if mode == 0 {
		mode = defaultMode
	}
	if err := r.keep(op); err != nil {
		return err
	}
	mounted, err := tree.Remove(op.Path)
	if err != nil {
		return err
	}
	if mounted {
		return tree.Own(op.Path, mode)
	}
	if err := tree.Make(op.Path, mode); err != nil {
		return err
	}
	// Somebody may have been faster with a folder of that name.
	if k, err := tree.Look(op.Path); err != nil || k != tree.EmptyFolder {
		return errors.Join(err, fs.ErrExist)
	}
	return tree.Own(op.Path, mode)
}

func (r *Result) replace(op shim.Prep) error {
	from, err := tree.Look(op.From)
	if err != nil {
		return err
	}
	if from == tree.Missing || from == tree.Link {
		return errNoFrom
	}
	if err := r.keep(op); err != nil {
		return err
	}
	mounted, err := tree.Remove(op.Path)
	if err != nil {
		return err
	}
	folder := from == tree.Folder || from == tree.EmptyFolder
	whole := &tree.Budget{Bytes: math.MaxInt64, Entries: math.MaxInt64}
	switch {
	case !mounted:
		err = tree.Move(op.From, op.Path, whole)
	case folder:
		if err = tree.MoveContent(op.From, op.Path, whole); err == nil {
			_, err = tree.Remove(op.From)
		}
	default:
		err = errMounted
	}
	if err != nil || !folder {
		return err
	}
	if mounted && op.Mode == 0 {
		return tree.Own(op.Path, defaultMode)
	}
	return tree.Make(op.Path, op.Mode)
}

// keep moves what is in op.Path to op.Keep.
func (r *Result) keep(op shim.Prep) error {
	if op.Keep == "" {
		return nil
	}
	there, err := tree.Look(op.Path)
	if err != nil || there == tree.Missing || there == tree.EmptyFolder {
		return err
	}
	if _, err := tree.Remove(op.Keep); err != nil {
		return err
	}
	budget := &tree.Budget{Bytes: maxKeptBytes, Entries: maxKeptEntries}
	if there == tree.Folder {
		if err = tree.Make(op.Keep, defaultMode); err == nil {
			err = tree.MoveContent(op.Path, op.Keep, budget)
		}
	} else {
		err = tree.Move(op.Path, op.Keep, budget)
	}
	// What cannot be kept (too much, a full disk, a mount point) must not stop the grading either; the rest is removed.
	if err != nil {
		r.warn("kept_partly", "not all of "+op.Path+" was kept: "+err.Error())
	}
	r.Kept = append(r.Kept, op.Keep)
	return nil
}

func (r *Result) executable(p string) error {
	kind, err := tree.Look(p)
	if err != nil {
		return err
	}
	switch kind {
	case tree.Missing:
		return nil // the start says so better
	case tree.Link:
		r.warn("link_skipped", p+" is a link, so its target's mode stays")
		return nil
	default:
		return tree.Executable(p)
	}
}

func (r *Result) warn(code, detail string) {
	r.Warnings = append(r.Warnings, shim.Warning{Code: code, Detail: detail})
}

// within says whether one of two paths is the other or lies below it.
func within(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, b = path.Clean(a)+"/", path.Clean(b)+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
