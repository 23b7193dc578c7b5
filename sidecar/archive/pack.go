package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"
)

// PackOptions says how a tree is written.
type PackOptions struct {
	// Prefix is the slash-separated folder that the tree's content is put under. It gets an entry of its own, its parents
	// do not, so that unpacking does not change the mode of a folder such as /tmp. Empty puts the content at the top.
	Prefix string
	// UID and GID own every entry. Zero is root, whatever the owner on the host is.
	UID, GID int
	// KeepTimes keeps modification times in whole seconds; otherwise all are FixedTime.
	KeepTimes bool
	// Skip leaves out an entry, and all below it if it is a folder. Names are slash-separated and relative to the root.
	Skip func(name string, entry fs.DirEntry) bool
}

// FixedTime is the modification time of entries whose own is not kept: 2000-01-01 UTC. It is not zero since zip files
// cannot hold times before 1980, and build tools that write them fail on older files.
func FixedTime() time.Time {
	return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
}

// Pack writes the tree at the host folder root to w as a complete tar stream, sorted by name. Files become 0644, or 0755 if
// they have any execute bit; folders 0755. Symbolic links are kept as they are if they stay within the tree, and are
// never read through. Errors: *LinkError for a link that leads out, *KindError for a device, socket or fifo, otherwise
// the host's or w's own, wrapped.
func Pack(w io.Writer, root string, opt PackOptions) error {
	return PackTrees(w, Tree{Root: root, PackOptions: opt})
}

// Tree is a folder of the host and how it is packed.
type Tree struct {
	Root string
	PackOptions
}

// PackTrees is Pack for several trees in one stream, in their order: where two hold the same path, the later one's is what an unpacking leaves.
func PackTrees(w io.Writer, trees ...Tree) error {
	out := tar.NewWriter(w)
	for _, t := range trees {
		if err := packTree(out, t); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("end the archive: %w", err)
	}
	return nil
}

func packTree(out *tar.Writer, t Tree) error {
	dir, err := os.OpenRoot(t.Root)
	if err != nil {
		return fmt.Errorf("open the folder to copy: %w", err)
	}
	defer dir.Close()
	p := packer{root: dir, name: t.Root, opt: t.PackOptions, out: out}
	if t.Prefix != "" {
		if err := p.header(&tar.Header{Typeflag: tar.TypeDir, Name: path.Clean(t.Prefix) + "/", Mode: 0o755}, nil); err != nil {
			return err
		}
	}
	return fs.WalkDir(dir.FS(), ".", p.entry) //nolint:wrapcheck // The walk returns the errors of entry, which are wrapped.
}

type packer struct {
	root *os.Root
	name string
	opt  PackOptions
	out  *tar.Writer
}

func (p *packer) entry(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return fmt.Errorf("read %s: %w", p.host(name), err)
	}
	if name == "." {
		return nil
	}
	if p.opt.Skip != nil && p.opt.Skip(name, d) {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	info, err := p.root.Lstat(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.host(name), err)
	}
	hdr := &tar.Header{Name: path.Join(p.opt.Prefix, name), Mode: 0o644}
	switch kind := info.Mode().Type(); kind {
	case fs.ModeDir:
		hdr.Typeflag, hdr.Mode = tar.TypeDir, 0o755
		hdr.Name += "/"
		return p.header(hdr, info)
	case fs.ModeSymlink:
		return p.link(hdr, name, info)
	case 0:
		return p.file(hdr, name, info)
	default:
		return &KindError{Path: p.host(name), Kind: kindOfMode(kind)}
	}
}

func (p *packer) header(hdr *tar.Header, info fs.FileInfo) error {
	hdr.Uid, hdr.Gid = p.opt.UID, p.opt.GID
	hdr.ModTime = FixedTime()
	if p.opt.KeepTimes && info != nil {
		hdr.ModTime = info.ModTime().Truncate(time.Second)
	}
	if err := p.out.WriteHeader(hdr); err != nil {
		return fmt.Errorf("write %s to the archive: %w", hdr.Name, err)
	}
	return nil
}

func (p *packer) link(hdr *tar.Header, name string, info fs.FileInfo) error {
	target, err := p.root.Readlink(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.host(name), err)
	}
	target = filepath.ToSlash(target)
	if !p.staysWithin(name, target) {
		return &LinkError{Path: p.host(name), Target: target}
	}
	hdr.Typeflag, hdr.Linkname, hdr.Mode = tar.TypeSymlink, target, 0o777
	return p.header(hdr, info)
}

// staysWithin looks at the target's text, and then lets the kernel resolve it too, since a chain of links can lead out
// although the text of each of them does not.
func (p *packer) staysWithin(name, target string) bool {
	if path.IsAbs(target) || filepath.IsAbs(target) || !filepath.IsLocal(path.Join(path.Dir(name), target)) {
		return false
	}
	_, err := p.root.Stat(name)
	return err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP)
}

func (p *packer) file(hdr *tar.Header, name string, info fs.FileInfo) error {
	// Without O_NONBLOCK a fifo put in the file's place meanwhile would hang us.
	f, err := p.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.host(name), err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", p.host(name), err)
	}
	if !opened.Mode().IsRegular() || !os.SameFile(info, opened) {
		return &ChangedError{Path: p.host(name)}
	}
	hdr.Typeflag, hdr.Size = tar.TypeReg, opened.Size()
	if opened.Mode()&0o111 != 0 {
		hdr.Mode = 0o755
	}
	if err := p.header(hdr, opened); err != nil {
		return err
	}
	if _, err := io.CopyN(p.out, f, hdr.Size); errors.Is(err, io.EOF) {
		return &ChangedError{Path: p.host(name)}
	} else if err != nil {
		return fmt.Errorf("copy %s to the archive: %w", p.host(name), err)
	}
	return nil
}

func (p *packer) host(name string) string {
	return filepath.Join(p.name, filepath.FromSlash(name))
}
