package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar/archive"
)

// Loader is the engine that takes images; images.Transfer is one.
type Loader interface {
	// Load takes the archive of images that Save of an engine made.
	Load(ctx context.Context, archive io.Reader) error
}

// Limits of a bundle that is taken apart.
const (
	mostBytes   = 64 << 30 // of all files, unpacked
	mostFile    = 48 << 30
	mostEntries = 500_000
	window      = 64 << 20
	// Nothing real is made so much smaller: what unpacks to more is there to fill a disk.
	mostRatio, ratioFrom = 500, 256 << 20
)

// Is says whether a file looks like a bundle: a regular file that begins as zstd does.
func Is(name string) bool {
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
		return false // a pipe would hold us
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) // RFC 8878, 3.1.1
}

// Opened is a bundle that was taken apart.
type Opened struct {
	Manifest *Manifest
	Place    *orchestrator.TrialPlace
	// images is the archive of images; empty = there is none.
	images string
}

// Open takes a bundle apart into a folder that is empty. Whatever it holds, nothing is written elsewhere. The error is a *Error, or that of the trial's record.
func Open(ctx context.Context, name, dir string) (*Opened, error) {
	o, err := open(ctx, name, dir)
	if err != nil {
		return nil, &Error{Path: name, Cause: err}
	}
	return o, nil
}

func open(ctx context.Context, name, dir string) (*Opened, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped by Open
	}
	defer f.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped by Open
	}
	defer root.Close()
	m, err := manifestOf(f)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err //nolint:wrapcheck // wrapped by Open
	}
	zip, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped by Open
	}
	defer zip.Close()
	most := int64(mostBytes)
	if st, err := f.Stat(); err == nil {
		most = min(most, ratioFrom+mostRatio*min(st.Size(), mostBytes))
	}
	limits := archive.Limits{File: mostFile, Total: most, Entries: mostEntries, Stream: most + mostEntries<<10}
	list, err := archive.Unpack(ended{func() error { return context.Cause(ctx) }, zip}, root, archive.UnpackOptions{Limits: limits, Skip: func(n string) bool { return !known(n) }})
	if err != nil {
		return nil, err
	}
	for _, e := range list.Entries {
		if e.Problem != "" && e.Problem != archive.ProblemSkipped {
			return nil, fmt.Errorf("%s cannot be in a bundle: %s", e.Name, e.Problem)
		}
	}
	if err := link(root, m.Links); err != nil {
		return nil, err
	}
	o := &Opened{Manifest: m}
	if st, err := root.Lstat(imagesName); err == nil && st.Mode().IsRegular() {
		o.images = filepath.Join(dir, imagesName)
	}
	o.Place, err = orchestrator.FindTrial(filepath.Join(dir, runFolder, "trials", m.Trial))
	if err != nil {
		return nil, err
	}
	return o, nil
}

// manifestOf reads the first entry.
func manifestOf(f io.Reader) (*Manifest, error) {
	zip, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped by the caller
	}
	defer zip.Close()
	r := tar.NewReader(io.LimitReader(zip, maxManifest+4096))
	h, err := r.Next()
	if err != nil || h.Name != manifestName || h.Size > maxManifest {
		return nil, errors.Join(errNoManifest, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, errors.Join(errNoManifest, err)
	}
	return decode(data)
}

// known says whether a bundle may hold a file of that name.
func known(name string) bool {
	name = path.Clean(strings.TrimPrefix(name, "./"))
	return name == manifestName || name == imagesName || strings.HasPrefix(name, runFolder+"/")
}

// link makes the links of the task's and the agent's files, as they were. Who reads those follows none.
func link(root *os.Root, links map[string]string) error {
	names := make([]string, 0, len(links))
	for name := range links {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > mostEntries {
		return fmt.Errorf("it has %d links", len(names))
	}
	for _, name := range names {
		clean := path.Clean(name)
		if clean != name || !filepath.IsLocal(filepath.FromSlash(name)) || !strings.HasPrefix(name, runFolder+"/tasks/") && !strings.HasPrefix(name, runFolder+"/agents/") {
			return fmt.Errorf("no link can be at %q", name)
		}
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err //nolint:wrapcheck // it names the file
		}
		if err := root.Symlink(links[name], name); err != nil {
			return err //nolint:wrapcheck // it names the file
		}
	}
	return nil
}

// ended ends a read with its context.
type ended struct {
	cause func() error
	r     io.Reader
}

func (e ended) Read(p []byte) (int, error) {
	if err := e.cause(); err != nil {
		return 0, err
	}
	return e.r.Read(p) //nolint:wrapcheck // a reader hands errors on
}

// Load gives the bundle's images, if it has any, to an engine, without names. That they are those which were recorded is seen by their ids later.
func (o *Opened) Load(ctx context.Context, to Loader) error {
	if o.images == "" {
		return nil
	}
	f, err := os.Open(o.images)
	if err != nil {
		return fmt.Errorf("the bundle's images: %w", err)
	}
	defer f.Close()
	err = archive.Pipe(func(w io.Writer) error { return nameless(f, w) }, func(r io.Reader) error { return to.Load(ctx, r) })
	if err != nil {
		return fmt.Errorf("load the bundle's images: %w", err)
	}
	return nil
}

// HasImages says whether there are images in it.
func (o *Opened) HasImages() bool { return o.images != "" }

// plain says whether a name can be that of a folder, and no path.
func plain(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00")
}
