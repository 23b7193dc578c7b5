package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// RelayOptions says how an archive from one container is made one for another.
type RelayOptions struct {
	// To is where the archive's first element goes, a slash-separated path: of an archive of "out" the entry "out/x" becomes To/x.
	To string
	// Exclude leaves out an entry; its name is relative to the first element. Nil leaves out none.
	Exclude func(name string) bool
	// Bytes and Entries bound what is passed on. What is beyond is a *LimitError, and the archive before it stays whole.
	Bytes   int64
	Entries int
	// ReadOnly takes the permission to write from everything.
	ReadOnly bool
}

// Relayed says what was passed on.
type Relayed struct {
	Files, Folders int
	Bytes          int64
	// Skipped are the first entries that were not, with the reason.
	Skipped []string
	// File says that the archive is of a single file, rather than a folder.
	File bool

	links, files map[string]bool // passed on, by their names relative to the first element
}

// Relay passes the entries of r on to w, which stays open. What leads out of the archive's own tree does not: a link of an agent's, followed by the tests,
// could make the expected answer look like the agent's. Devices, pipes and sockets are left out as well. Everything becomes root's, and may be read and
// written by all, as Harbor has it; nobody's bits but those for permissions are kept.
func Relay(r io.Reader, w *tar.Writer, opt RelayOptions) (Relayed, error) {
	got := Relayed{links: map[string]bool{}, files: map[string]bool{}}
	in := tar.NewReader(r)
	for first := true; ; first = false {
		hdr, err := in.Next()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, fmt.Errorf("read the archive: %w", err)
		}
		if first {
			got.File = hdr.Typeflag == tar.TypeReg
		}
		if err := got.entry(hdr, in, w, &opt); err != nil {
			return got, err
		}
	}
}

func (g *Relayed) entry(hdr *tar.Header, body io.Reader, w *tar.Writer, opt *RelayOptions) error {
	elems, problem := split(hdr.Name, Limits{Path: 4096, Depth: 512})
	if problem != "" || len(elems) == 0 {
		g.skip(hdr.Name, problem)
		return nil
	}
	rest := path.Join(elems[1:]...)
	if g.belowLink(rest) {
		g.skip(hdr.Name, "it is below a link")
		return nil
	}
	if rest != "" && opt.Exclude != nil && opt.Exclude(rest) {
		return nil
	}
	out, why := g.header(hdr, elems[0], rest, opt.To)
	if out != nil && opt.ReadOnly {
		out.Mode &^= 0o222
	}
	if out == nil {
		g.skip(hdr.Name, why)
		return nil
	}
	if g.Files+g.Folders >= opt.Entries {
		return &LimitError{Limit: int64(opt.Entries), Entries: true}
	}
	if g.Bytes+out.Size > opt.Bytes {
		return &LimitError{Limit: opt.Bytes}
	}
	if err := w.WriteHeader(out); err != nil {
		return fmt.Errorf("pass on %s: %w", hdr.Name, err)
	}
	if hdr.Typeflag == tar.TypeDir {
		g.Folders++
		return nil
	}
	g.Files++
	n, err := io.CopyN(w, body, out.Size)
	g.Bytes += n
	if err != nil {
		return fmt.Errorf("pass on %s: %w", hdr.Name, err)
	}
	return nil
}

// header is an entry's in the other container, or nil and why it has none there. root is the archive's first element, and rest the name below it.
func (g *Relayed) header(hdr *tar.Header, root, rest, to string) (out *tar.Header, why string) {
	out = &tar.Header{Name: path.Join(to, rest), ModTime: hdr.ModTime, Typeflag: hdr.Typeflag, Mode: 0o666}
	if hdr.Mode&0o111 != 0 {
		out.Mode = 0o777
	}
	switch hdr.Typeflag {
	case tar.TypeReg:
		out.Size = hdr.Size
		g.files[rest] = true
	case tar.TypeDir:
		out.Name, out.Mode = out.Name+"/", 0o777
	case tar.TypeSymlink:
		if rest == "" || !staysBelow(rest, hdr.Linkname) {
			return nil, "a link that leads out, to " + hdr.Linkname
		}
		out.Linkname, out.Mode = hdr.Linkname, 0o777
		g.links[rest] = true
	case tar.TypeLink:
		first, problem := split(hdr.Linkname, Limits{Path: 4096, Depth: 512})
		// Only to a file that crossed: a second name of a symbolic link would be judged by the first one's place.
		if problem != "" || len(first) < 2 || first[0] != root || rest == "" || !g.files[path.Join(first[1:]...)] {
			return nil, "another name of what did not cross, " + hdr.Linkname
		}
		g.files[rest] = true
		out.Linkname = path.Join(to, path.Join(first[1:]...))
	default:
		return nil, "neither a file nor a folder"
	}
	return out, ""
}

// belowLink says whether a name is that of a link that was passed on, or below one.
func (g *Relayed) belowLink(name string) bool {
	for ; name != "." && name != ""; name = path.Dir(name) {
		if g.links[name] {
			return true
		}
	}
	return false
}

func (g *Relayed) skip(name, why string) {
	const most = 100
	if len(g.Skipped) < most {
		g.Skipped = append(g.Skipped, name+": "+why)
	}
}

// staysBelow says whether a link at name, relative to a tree's root, leads to something in the tree. Steps upward may only stand at the start: after the name of
// a folder, which may be a link itself, they would go up from where that leads. So each link that is let through stays in the tree, and with it every chain of them.
func staysBelow(name, target string) bool {
	if path.IsAbs(target) || target == "" || strings.ContainsRune(target, 0) {
		return false
	}
	up, named := 0, false
	for e := range strings.SplitSeq(target, "/") {
		switch {
		case e == "" || e == ".":
		case e == ".." && named:
			return false
		case e == "..":
			up++
		default:
			named = true
		}
	}
	return up <= strings.Count(name, "/")
}
