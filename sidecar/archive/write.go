package archive

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// write puts an entry on the host and notes in e what came of it. Its error is that of the stream.
func (u *unpacker) write(e *Entry, hdr *tar.Header, elems []string, body io.Reader) error {
	if e.Kind != KindFile && e.Kind != KindDir {
		e.Problem = ProblemKind
		return nil
	}
	base, rest, ok := u.routes.find(elems)
	if !ok {
		e.Problem = ProblemOutside
		return nil
	}
	if u.dst == nil {
		return nil
	}
	host, renamed, ok := u.names.place(base, rest)
	if !ok || e.Kind == KindFile && host == "." {
		e.Problem = ProblemClash
		return nil
	}
	e.Renamed = renamed
	if e.Kind == KindDir {
		if u.folder(e, host) {
			e.Path = host
		}
		return nil
	}
	if !u.folder(e, path.Dir(host)) {
		return nil
	}
	f := u.create(e, host, hdr)
	if f == nil {
		return nil
	}
	e.Path = host
	u.files[host] = true
	u.list.Files++
	return u.fill(e, f, body)
}

// folder makes the folder host and those above it. What is there and not a folder is left alone.
func (u *unpacker) folder(e *Entry, host string) bool {
	if host == "." || u.made[host] {
		return true
	}
	if !u.folder(e, path.Dir(host)) {
		return false
	}
	info, err := u.dst.Lstat(host)
	if errors.Is(err, fs.ErrNotExist) {
		if err = u.dst.Mkdir(host, 0o755); err == nil {
			u.made[host] = true
			return true
		}
	}
	if err != nil {
		e.Problem = ProblemHost
		u.failed(e.Name, err)
		return false
	}
	if !info.IsDir() {
		e.Problem = ProblemClash
		return false
	}
	u.made[host] = true
	return true
}

// create makes a new, empty file. Removing first and O_EXCL keep a link in its place from being written through.
func (u *unpacker) create(e *Entry, host string, hdr *tar.Header) *os.File {
	if u.files[host] {
		e.Problem = ProblemDuplicate
		return nil
	}
	if info, err := u.dst.Lstat(host); err == nil {
		if info.IsDir() {
			e.Problem = ProblemClash
			return nil
		}
		if err := u.dst.Remove(host); err != nil {
			e.Problem = ProblemHost
			u.failed(e.Name, err)
			return nil
		}
	}
	mode := fs.FileMode(0o644)
	if hdr.Mode&0o111 != 0 {
		mode = 0o755
	}
	f, err := u.dst.OpenFile(host, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		e.Problem = ProblemHost
		u.failed(e.Name, err)
		return nil
	}
	return f
}

// fill copies the content, masked and then cut, so that a cut does not leave half a secret.
func (u *unpacker) fill(e *Entry, f *os.File, body io.Reader) error {
	in := &noted{r: body}
	masked := io.Reader(in)
	if u.opt.Mask != nil {
		masked = u.opt.Mask(e.Name, in)
	}
	n, err := io.CopyN(f, masked, max(0, min(u.opt.Limits.File, u.opt.Limits.Total-u.list.Bytes)))
	if err == nil {
		// The copy stopped at its limit; one more byte tells whether that was also the end.
		if _, more := io.ReadFull(masked, make([]byte, 1)); more == nil {
			e.Problem = ProblemTruncated
		}
	}
	e.Written = n
	u.list.Bytes += n
	if closing := f.Close(); err == nil {
		err = closing
	}
	switch {
	case in.err != nil:
		e.Problem = ProblemBroken
		return in.err
	case err != nil && !errors.Is(err, io.EOF):
		e.Problem = ProblemHost
		u.failed(e.Name, err)
	}
	return nil
}

// noted remembers a failure of the reader below, to tell it from one of the writer that it is copied to.
type noted struct {
	r   io.Reader
	err error
}

// Read reads from the reader below.
func (n *noted) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n.err = err
	}
	return k, err //nolint:wrapcheck // A reader hands on the error of the one below as it is.
}
