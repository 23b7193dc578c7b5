package bundle

import (
	"archive/tar"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar/mask"
)

// Saver is the engine that has the images; images.Transfer is one.
type Saver interface {
	// Save streams images as an archive that Load of another engine takes.
	Save(ctx context.Context, ids []string) (io.ReadCloser, error)
}

// Options say what goes into a bundle.
type Options struct {
	Tool lockfile.Tool
	// Images saves the images of the trial from this engine; nil leaves them out.
	Images Saver
	// Lookup finds the values of variables, so that they can be looked for.
	Lookup func(string) (string, bool)
}

// SecretError says that a file of the task or the agent holds the value of a variable. It belongs to what decided the trial, so that it can be neither left out nor masked.
type SecretError struct{ File string }

// Error implements error.
func (e *SecretError) Error() string {
	return e.File + " holds the value of a variable on which the trial depended; nothing was written. Take it out of the task, or hand the task over some other way"
}

// Write writes a bundle of a trial. What is in its records and logs has been masked when it was written, and is looked through again for the values that are known here.
func Write(ctx context.Context, p *orchestrator.TrialPlace, out io.Writer, o Options) (*Manifest, error) {
	lock, err := orchestrator.ReadLock(p)
	if err != nil {
		return nil, err
	}
	w := &writer{ended: func() error { return context.Cause(ctx) }, place: p, lock: lock, now: time.Now().UTC().Truncate(time.Second)}
	w.manifest = Manifest{Format: Format, SchemaVersion: SchemaVersion, Tool: o.Tool, RunID: p.Record.RunID, Trial: p.Name, Case: p.Record.Case.ID, Images: []string{}, Links: map[string]string{},
		LeftOut: []string{}, Unchecked: []string{}}
	w.secrets(o.Lookup)
	if err := w.collect(); err != nil {
		return nil, err
	}
	if o.Images != nil {
		w.manifest.Images = ids(lock)
	} else {
		w.leave("images", "they were not asked for")
	}
	zip, err := zstd.NewWriter(out)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	w.tar = tar.NewWriter(zip)
	if err := errors.Join(w.all(ctx, o.Images), w.tar.Close(), zip.Close()); err != nil {
		return nil, err
	}
	return &w.manifest, nil
}

// writer is a bundle being made.
type writer struct {
	ended    func() error // why what asked for it has ended
	place    *orchestrator.TrialPlace
	lock     *lockfile.Lock
	now      time.Time
	mask     *mask.Masker
	manifest Manifest
	files    []file
	tar      *tar.Writer
}

// file is one that goes into a bundle. What decides the trial may not be masked.
type file struct {
	root    string // folder on the host
	name    string // below it
	to      string // in the bundle
	decides bool
}

// secrets makes a masker of the values that are known here: those of the trial's variables that have the recorded fingerprint.
func (w *writer) secrets(lookup func(string) (string, bool)) {
	var values []string
	for _, v := range w.lock.Variables {
		if v.Fingerprint == "" {
			continue
		}
		value, ok := "", false
		if lookup != nil {
			value, ok = lookup(v.Name)
		}
		if !ok || lockfile.Fingerprint(w.lock.Salt, v.Name, value) != v.Fingerprint {
			w.manifest.Unchecked = append(w.manifest.Unchecked, v.Name)
			continue
		}
		if len(orchestrator.Secret(v.Name, value, true)) > 0 {
			values = append(values, value)
		}
	}
	slices.Sort(w.manifest.Unchecked)
	w.manifest.Unchecked = slices.Compact(w.manifest.Unchecked)
	w.mask = mask.NewMasker(values)
}

func (w *writer) leave(what, why string) {
	w.manifest.LeftOut = append(w.manifest.LeftOut, what+": "+why)
}

// collect finds the files of the bundle.
func (w *writer) collect() error {
	trial := path.Join(runFolder, "trials", w.place.Name)
	secret := map[string]bool{}
	w.lock.Captures = slices.DeleteFunc(w.lock.Captures, func(c lockfile.Capture) bool {
		if secret[c.Path] = c.Secrets; c.Secrets {
			w.leave(c.Path, "the value of a secret variable is in it")
		}
		return c.Secrets
	})
	err := w.walk(w.place.Folder(), func(name string, d fs.DirEntry) error {
		switch {
		case name == "lock.json" || secret[name]:
		case d.Type()&fs.ModeSymlink != 0, !d.Type().IsRegular():
			w.leave(name, "it is no file")
		default:
			w.files = append(w.files, file{root: w.place.Folder(), name: name, to: path.Join(trial, name)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range []*lockfile.Folder{&w.lock.Task, w.lock.Agent.Folder} {
		if f == nil {
			continue
		}
		if f.Copy == "" || !filepath.IsLocal(filepath.FromSlash(f.Copy)) {
			return &orchestrator.UsageError{Cause: fmt.Errorf("the run kept no copy of %s (%s), so that nothing could be reproduced elsewhere", f.Name, cmp.Or(f.NoCopy, "lock.json names none"))}
		}
		if err := w.folder(filepath.Join(w.place.Run, filepath.FromSlash(f.Copy)), path.Join(runFolder, path.Clean(f.Copy))); err != nil {
			return err
		}
	}
	return nil
}

// folder adds a folder that decides the trial.
func (w *writer) folder(root, to string) error {
	return w.walk(root, func(name string, d fs.DirEntry) error {
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				return fmt.Errorf("bundle: %w", err)
			}
			w.manifest.Links[path.Join(to, name)] = target
		case d.Type().IsRegular():
			w.files = append(w.files, file{root: root, name: name, to: path.Join(to, name), decides: true})
		}
		return nil
	})
}

func (w *writer) walk(root string, each func(name string, d fs.DirEntry) error) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	defer r.Close()
	return fs.WalkDir(r.FS(), ".", func(name string, d fs.DirEntry, err error) error { //nolint:wrapcheck // wrapped inside
		switch {
		case w.ended() != nil:
			return w.ended()
		case err != nil:
			return fmt.Errorf("bundle: %w", err)
		case d.IsDir():
			return nil
		}
		return each(name, d)
	})
}

// all writes the archive's entries.
func (w *writer) all(ctx context.Context, images Saver) error {
	if err := w.sound(); err != nil {
		return err
	}
	slices.Sort(w.manifest.LeftOut)
	if err := w.json(manifestName, &w.manifest); err != nil {
		return err
	}
	if err := w.json(path.Join(runFolder, "trials", w.place.Name, "lock.json"), w.lock); err != nil {
		return err
	}
	for _, f := range w.files {
		if err := w.put(f); err != nil {
			return err
		}
	}
	if images == nil {
		return nil
	}
	return w.save(ctx, images)
}

// sound sees, before anything is written, that no file which decides the trial holds a secret.
func (w *writer) sound() error {
	if !w.mask.Any() {
		return nil
	}
	for _, f := range w.files {
		if !f.decides {
			continue
		}
		holds, _, err := w.scan(f)
		if err != nil {
			return err
		}
		if holds {
			return &SecretError{File: f.to}
		}
	}
	return nil
}

func (w *writer) json(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("bundle: %s: %w", name, err)
	}
	return w.entry(name, 0o644, int64(len(data)), strings.NewReader(w.mask.String(string(data))), w.mask.Any())
}

// entry writes one entry. A text that was masked may have another size.
func (w *writer) entry(name string, mode fs.FileMode, size int64, r io.Reader, masked bool) error {
	if masked {
		data, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("bundle: %s: %w", name, err)
		}
		size, r = int64(len(data)), strings.NewReader(string(data))
	}
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: int64(mode.Perm()), Size: size, ModTime: w.now, Format: tar.FormatPAX}); err != nil {
		return fmt.Errorf("bundle: %s: %w", name, err)
	}
	if n, err := io.Copy(w.tar, r); err != nil {
		return fmt.Errorf("bundle: %s: %w", name, err)
	} else if n != size {
		return fmt.Errorf("bundle: %s: it changed while it was read", name)
	}
	return nil
}

// ids are those of the images that the trial was made of; that of this program is made anew wherever it is needed.
func ids(l *lockfile.Lock) []string {
	var out []string
	for _, img := range l.Images {
		if img.ID != "" && !img.Program {
			out = append(out, img.ID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
