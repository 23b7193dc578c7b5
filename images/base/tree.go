package base

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"
)

// maxTree bounds what the packages unpack to, in bytes.
const maxTree = 4 << 30

// tree writes a root file system as a tar stream. Folders are written once.
type tree struct {
	out    *tar.Writer
	when   time.Time
	merged bool // whether /bin, /lib, /sbin are links into /usr
	slim   bool
	seen   map[string]bool // what was written; folders have a slash at the end
	size   int64
}

func newTree(w io.Writer, when time.Time) *tree {
	return &tree{out: tar.NewWriter(w), when: when, seen: map[string]bool{}}
}

// dir, file and link write one entry, owned by root. Names have no leading slash.
func (t *tree) dir(name string, mode int64) error {
	return t.put(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode}, nil)
}

func (t *tree) file(name string, mode int64, content string) error {
	return t.put(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content))}, strings.NewReader(content))
}

func (t *tree) link(name, target string) error {
	return t.put(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777}, nil)
}

// copy writes a file of the host's cache.
func (t *tree) copy(name string, mode int64, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("reading a package: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading a package: %w", err)
	}
	return t.put(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size()}, f)
}

// unpack writes all files of a package.
func (t *tree) unpack(deb string) error {
	f, err := os.Open(deb)
	if err != nil {
		return fmt.Errorf("reading a package: %w", err)
	}
	defer f.Close()
	files, err := DataOf(f)
	if err != nil {
		return err
	}
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &FormatError{File: "package", Reason: "data.tar: " + err.Error()}
		}
		h.Name = Place(h.Name, t.merged)
		if h.Name == "" || t.merged && isTop(h.Name) || t.slim && Slimmed(h.Name) {
			continue
		}
		if h.Typeflag == tar.TypeLink {
			h.Linkname = Place(h.Linkname, t.merged)
		}
		if h.Typeflag == tar.TypeDir {
			h.Name += "/"
		}
		if err := t.put(h, files); err != nil {
			return err
		}
	}
}

func (t *tree) put(h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeDir && t.seen[h.Name] {
		return nil
	}
	t.seen[h.Name] = true
	if h.ModTime.IsZero() {
		h.ModTime = t.when
	}
	h.Format, h.Uname, h.Gname = tar.FormatPAX, "", ""
	if t.size += h.Size; t.size > maxTree {
		return &FormatError{File: "package", Reason: "the packages unpack to more than 4 GiB"}
	}
	if err := t.out.WriteHeader(h); err != nil {
		return fmt.Errorf("writing %s: %w", h.Name, err)
	}
	if content == nil || h.Typeflag != tar.TypeReg {
		return nil
	}
	if _, err := io.Copy(t.out, content); err != nil {
		return fmt.Errorf("writing %s: %w", h.Name, err)
	}
	return nil
}

func (t *tree) close() error {
	if err := t.out.Close(); err != nil {
		return fmt.Errorf("writing the root file system: %w", err)
	}
	return nil
}

// Place returns where a package's path goes below the root, without leading
// slash and never outside, empty for the root itself. On a merged system what is
// in /bin, /sbin and /lib* goes to the same folder of /usr (Debian bookworm and
// later: merged /usr).
func Place(name string, merged bool) string {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if top, below, ok := strings.Cut(name, "/"); merged && ok && isTop(top) {
		return "usr/" + top + "/" + below
	}
	return name
}

func isTop(name string) bool {
	switch name {
	case "bin", "sbin", "lib", "lib32", "lib64", "libx32":
		return true
	}
	return false
}

// Slimmed tells whether the slim images leave a path out: documents, manuals and
// translations, as in the distribution's own slim images. Copyright files stay.
func Slimmed(name string) bool {
	dir, below, ok := strings.Cut(strings.TrimPrefix(name, "usr/share/"), "/")
	if !ok || !strings.HasPrefix(name, "usr/share/") || below == "" {
		return false
	}
	switch dir {
	case "doc":
		return strings.Contains(below, "/") && path.Base(name) != "copyright"
	case "locale":
		return below != "locale.alias"
	case "man", "info", "groff", "lintian", "linda":
		return true
	}
	return false
}
