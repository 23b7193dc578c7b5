//go:build linux

// Package state packs parts of a container's file system as they are, and takes them away.
package state

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Writer packs paths into a tar archive with their owners, modes, times, links and extended attributes. What vanishes meanwhile is left out, and no link is
// followed, except in the folders above a path.
type Writer struct {
	tar   *tar.Writer
	links map[inode]string
}

type inode struct{ dev, ino uint64 }

// NewWriter begins an archive.
func NewWriter(w io.Writer) *Writer {
	return &Writer{tar: tar.NewWriter(w), links: map[inode]string{}}
}

// Tree packs a path and all below it on the same file system.
func (w *Writer) Tree(root string) error {
	var first uint64
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return gone(err)
		}
		var st unix.Stat_t
		if err := unix.Lstat(name, &st); err != nil {
			return gone(err)
		}
		if name == root {
			first = st.Dev
		}
		if st.Dev != first {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return w.Path(name)
	})
}

// Path packs a file, a link or a folder without what is in it. A socket is left out: nobody listens to it any more.
func (w *Writer) Path(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return gone(err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&fs.ModeSocket != 0 {
		return nil
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = os.Readlink(name); err != nil {
			return gone(err)
		}
	}
	h, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	h.Name = strings.TrimPrefix(path.Clean(name), "/")
	if h.Name == "" {
		return nil
	}
	if info.IsDir() {
		h.Name += "/"
	}
	h.Format, h.Uname, h.Gname = tar.FormatPAX, "", ""
	h.AccessTime, h.ChangeTime = time.Time{}, time.Time{}
	h.PAXRecords = attributes(name)
	if !info.IsDir() && st.Nlink > 1 {
		key := inode{st.Dev, st.Ino}
		if first, again := w.links[key]; again {
			h.Typeflag, h.Linkname, h.Size = tar.TypeLink, first, 0
			return w.tar.WriteHeader(h)
		}
		w.links[key] = h.Name
	}
	if !info.Mode().IsRegular() {
		return w.tar.WriteHeader(h)
	}
	return w.file(name, h)
}

// file packs a regular file with as many bytes as it had at first: one that shrinks meanwhile is filled up with zeros.
func (w *Writer) file(name string, h *tar.Header) error {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return gone(err)
	}
	defer f.Close()
	if err := w.tar.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.Copy(w.tar, io.LimitReader(f, h.Size))
	if err != nil && !isRead(err) {
		return err
	}
	_, err = io.CopyN(w.tar, zeros{}, h.Size-n)
	return err
}

// isRead says whether it is the file that failed, rather than what is written to.
func isRead(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Op == "read"
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Close ends the archive.
func (w *Writer) Close() error { return w.tar.Close() }

// attributes are a path's extended ones, as GNU tar and the engine write them.
func attributes(name string) map[string]string {
	size, err := unix.Llistxattr(name, nil)
	if err != nil || size <= 0 {
		return nil
	}
	list := make([]byte, size)
	if size, err = unix.Llistxattr(name, list); err != nil {
		return nil
	}
	records := map[string]string{}
	for attr := range strings.SplitSeq(strings.TrimRight(string(list[:size]), "\x00"), "\x00") {
		if !strings.HasPrefix(attr, "user.") && attr != "security.capability" {
			continue
		}
		size, err := unix.Lgetxattr(name, attr, nil)
		if err != nil {
			continue
		}
		value := make([]byte, size)
		if size, err = unix.Lgetxattr(name, attr, value); err == nil {
			records["SCHILY.xattr."+attr] = string(value[:size])
		}
	}
	if len(records) == 0 {
		return nil
	}
	return records
}

// gone passes over what vanished, or cannot be read, between being listed and being packed.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	return err
}

// Remove removes a path and all below it. One that is not there is no error, and neither is a mount point, which stays.
func Remove(name string) error {
	if path.Clean(name) == "/" {
		return nil
	}
	if err := os.RemoveAll(name); err != nil && !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EROFS) {
		return gone(err)
	}
	return nil
}
