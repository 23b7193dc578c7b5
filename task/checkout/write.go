package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/seatrial/seatrial/task"
)

// writing is the state of one write.
type writing struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one call of write
	objects storer.EncodedObjectStorer
	root    *os.Root
	entries int
	total   int64
	links   []link
	left    []Left
}

type link struct{ path, target string }

// write writes the files of a commit into a new folder, and returns what it left out. Every object is held against its hash.
func write(ctx context.Context, objects storer.EncodedObjectStorer, commit, dir string) ([]Left, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening a folder: %w", err)
	}
	defer root.Close()
	w := &writing{ctx: ctx, objects: objects, root: root, left: []Left{}}
	data, err := w.read(plumbing.CommitObject, plumbing.NewHash(commit))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, errors.New("the repository has no such commit")
	}
	if err != nil {
		return nil, err
	}
	// A commit begins with the hash of its tree.
	first, _, _ := strings.Cut(string(data), "\n")
	tree, ok := strings.CutPrefix(first, "tree ")
	if !ok || !plumbing.IsHash(tree) {
		return nil, errors.New("the commit is malformed")
	}
	if err := w.tree(plumbing.NewHash(tree), ".", 0); err != nil {
		return nil, err
	}
	return w.left, w.makeLinks()
}

// open finds an object of a kind, and refuses one that is too large.
func (w *writing) open(kind plumbing.ObjectType, hash plumbing.Hash, most int64) (plumbing.EncodedObject, error) {
	if w.ctx.Err() != nil {
		return nil, context.Cause(w.ctx)
	}
	o, err := w.objects.EncodedObject(kind, hash)
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", hash, err)
	}
	if o.Size() > most {
		return nil, &SizeError{fmt.Sprintf("object %s has in bytes", hash), most}
	}
	return o, nil
}

// read returns the content of a small object.
func (w *writing) read(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, error) {
	const most = 64 << 20
	o, err := w.open(kind, hash, most)
	if err != nil {
		return nil, err
	}
	r, err := o.Reader()
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", hash, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", hash, err)
	}
	if plumbing.ComputeHash(kind, data) != hash {
		return nil, fmt.Errorf("object %s is not what its hash says", hash)
	}
	return data, nil
}

// tree writes a folder.
func (w *writing) tree(hash plumbing.Hash, dir string, depth int) error {
	if depth > maxDepth {
		return &SizeError{"folders in each other:", maxDepth}
	}
	data, err := w.read(plumbing.TreeObject, hash)
	if err != nil {
		return err
	}
	o := &plumbing.MemoryObject{}
	o.SetType(plumbing.TreeObject)
	_, _ = o.Write(data) // into memory
	var t object.Tree
	if err := t.Decode(o); err != nil {
		return fmt.Errorf("folder %s: %w", dir, err)
	}
	for _, e := range t.Entries {
		if w.entries++; w.entries > maxEntries {
			return &SizeError{"files and folders:", maxEntries}
		}
		if reason := unsafe(e.Name); reason != "" {
			w.leave(path.Join(dir, "(odd name)"), fmt.Sprintf("the name %.100q %s", e.Name, reason))
			continue
		}
		if err := w.entry(&e, path.Join(dir, e.Name), depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) entry(e *object.TreeEntry, at string, depth int) error {
	switch e.Mode {
	case filemode.Dir:
		if err := w.root.Mkdir(at, 0o755); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		return w.tree(e.Hash, at, depth+1)
	case filemode.Regular, filemode.Deprecated:
		return w.file(e.Hash, at, 0o644)
	case filemode.Executable:
		return w.file(e.Hash, at, 0o755)
	case filemode.Symlink:
		target, err := w.read(plumbing.BlobObject, e.Hash)
		if err != nil {
			return err
		}
		w.links = append(w.links, link{at, string(target)})
		return nil
	case filemode.Submodule:
		w.leave(at, "it is a submodule")
		return nil
	default:
		w.leave(at, fmt.Sprintf("its mode %s is unknown", e.Mode))
		return nil
	}
}

// unsafe says why an entry of this name is not made.
func unsafe(name string) string {
	switch {
	case name == "", name == ".", name == "..", strings.ContainsAny(name, "/\x00"):
		return "is no name of a file"
	case strings.EqualFold(strings.TrimRight(name, ". "), ".git"):
		return "is that of git's own folder"
	case task.Printable(name) != name:
		return "holds control characters"
	}
	return ""
}

func (w *writing) leave(at, reason string) {
	w.left = append(w.left, Left{Path: at, Reason: reason})
}

// file writes a file, whose bytes are held against the hash on the way.
func (w *writing) file(hash plumbing.Hash, at string, mode fs.FileMode) error {
	o, err := w.open(plumbing.BlobObject, hash, maxObject)
	if err != nil {
		return err
	}
	if w.total += o.Size(); w.total > maxTotal {
		return &SizeError{"the files have in bytes", maxTotal}
	}
	r, err := o.Reader()
	if err != nil {
		return fmt.Errorf("object %s: %w", hash, err)
	}
	defer r.Close()
	f, err := w.root.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	sum := plumbing.NewHasher(plumbing.BlobObject, o.Size())
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(r, o.Size()+1))
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil { // whatever the umask says
		return fmt.Errorf("writing %s: %w", at, err)
	}
	if n != o.Size() || sum.Sum() != hash {
		return fmt.Errorf("object %s is not what its hash says", hash)
	}
	return nil
}

// makeLinks makes the links last, so that nothing is written through one, and takes away those that lead out after all, by way of others.
func (w *writing) makeLinks() error {
	var made []string
	for _, l := range w.links {
		target := path.Join(path.Dir(l.path), l.target)
		switch {
		case l.target == "", len(l.target) > maxLink, strings.ContainsRune(l.target, 0):
			w.leave(l.path, "it is a link without a usable target")
		case path.IsAbs(l.target), !filepath.IsLocal(target):
			w.leave(l.path, "it is a link that leads out of the repository")
		default:
			if err := w.root.Symlink(l.target, l.path); err != nil {
				return fmt.Errorf("writing: %w", err)
			}
			made = append(made, l.path)
		}
	}
	for _, at := range made {
		if _, err := w.root.Stat(at); err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := w.root.Remove(at); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		w.leave(at, "it is a link that leads out of the repository, or to itself")
	}
	slices.SortFunc(w.left, func(a, b Left) int { return strings.Compare(a.Path, b.Path) })
	return nil
}
