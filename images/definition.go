package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/moby/buildkit/util/staticfs"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/tonistiigi/fsutil"
	"github.com/tonistiigi/fsutil/types"
)

// maxText bounds a Dockerfile and an ignore file, in bytes.
const maxText = 1 << 20

// dockerfileName is what the Dockerfile is called on its way to BuildKit.
const dockerfileName = "Dockerfile"

// ContextError says that what is to be built from cannot be read.
type ContextError struct {
	Path  string
	Cause error
}

// Error implements error.
func (e *ContextError) Error() string {
	return fmt.Sprintf("reading %s to build from: %v", e.Path, e.Cause)
}

// Unwrap returns the cause; fs.ErrNotExist tells a missing Dockerfile.
func (e *ContextError) Unwrap() error { return e.Cause }

// definition is all that a build reads from the host. Links in the context are
// sent as links; none is followed to a place outside it.
type definition struct {
	request Request
	path    string // of the Dockerfile, for messages
	text    []byte // the Dockerfile
	ignore  []string
	root    *os.Root
	files   fsutil.FS
}

// open reads the Dockerfile and the ignore file. The caller closes it.
func open(r Request) (*definition, error) {
	// An absolute path, for the root stays open longer than the working directory may stay the same.
	dir, err := filepath.Abs(r.Context)
	if err != nil {
		return nil, &ContextError{Path: r.Context, Cause: err}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &ContextError{Path: r.Context, Cause: err}
	}
	d := &definition{request: r, root: root}
	if err := d.read(dir); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

func (d *definition) close() { _ = d.root.Close() } // nothing was written through it

func (d *definition) read(dir string) error {
	name := d.request.Dockerfile
	if name == "" {
		name = dockerfileName
	}
	d.path = name
	if !filepath.IsAbs(name) {
		d.path = filepath.Join(d.request.Context, name)
	}
	var beside []byte
	if d.request.Inline != "" {
		d.path, d.text = "inline Dockerfile", []byte(d.request.Inline)
	} else {
		text, err := d.file(dir, name)
		if err != nil {
			return &ContextError{Path: d.path, Cause: err}
		}
		d.text = text
		if beside, err = d.file(dir, name+".dockerignore"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &ContextError{Path: d.path + ".dockerignore", Cause: err}
		}
	}
	ignore := beside
	if ignore == nil {
		var err error
		if ignore, err = d.file(dir, ".dockerignore"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &ContextError{Path: filepath.Join(d.request.Context, ".dockerignore"), Cause: err}
		}
	}
	return d.filter(ignore)
}

func (d *definition) filter(ignore []byte) error {
	patterns, err := ignorefile.ReadAll(bytes.NewReader(ignore))
	if err != nil {
		return &ContextError{Path: filepath.Join(d.request.Context, ".dockerignore"), Cause: err}
	}
	patterns = append(patterns, d.request.Exclude...)
	d.ignore = patterns
	all := fsutil.NewRootFS(fsutil.NewRoot(d.root))
	if d.files, err = fsutil.NewFilterFS(all, &fsutil.FilterOpt{ExcludePatterns: patterns}); err != nil {
		return &ContextError{Path: filepath.Join(d.request.Context, ".dockerignore"), Cause: err}
	}
	return nil
}

// file reads a small text. What is below the context is read without leaving it;
// a Dockerfile elsewhere must be a regular file, not a link.
func (d *definition) file(dir, name string) ([]byte, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	stat, open := os.Lstat, os.Open
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		stat, open, path = d.root.Stat, d.root.Open, rel
	}
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("it has more than %d bytes", maxText)
	}
	return text, err
}

// mounts are the two local folders that the Dockerfile frontend asks for.
func (d *definition) mounts() map[string]fsutil.FS {
	static := staticfs.NewFS()
	static.Add(dockerfileName, &types.Stat{Mode: 0o644}, d.text)
	return map[string]fsutil.FS{"dockerfile": withIgnore(static, d.ignore), "context": d.files}
}

// withIgnore puts the patterns where the frontend looks first. They are given
// even if there are none, which spares it looking in the context.
func withIgnore(static *staticfs.FS, patterns []string) fsutil.FS {
	var text bytes.Buffer
	text.WriteString("#\n")
	for _, p := range patterns {
		text.WriteString(" " + p + "\n") // the blank keeps a pattern #x from becoming a comment
	}
	static.Add(dockerfileName+".dockerignore", &types.Stat{Mode: 0o644}, text.Bytes())
	return static
}

// walk calls fn for everything in the context that is not ignored, in order.
func (d *definition) walk(ctx context.Context, fn func(path string, st *types.Stat) error) error {
	err := d.files.Walk(ctx, "", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err //nolint:wrapcheck // wrapped below
		}
		st, ok := info.Sys().(*types.Stat)
		if !ok {
			return fmt.Errorf("%s: no file information", path)
		}
		return fn(path, st)
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &ContextError{Path: d.request.Context, Cause: err}
	}
	return nil
}
