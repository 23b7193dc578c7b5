package archive_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/archive"
)

// tarOf makes an archive of headers; a file's content is its name.
func tarOf(t testing.TB, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(h.Name))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			_, _ = io.WriteString(w, h.Name)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// relayed passes an archive on and lists what comes out.
func relayed(t testing.TB, r io.Reader, opt archive.RelayOptions) ([]string, archive.Relayed, error) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	got, err := archive.Relay(r, w, opt)
	if cerr := w.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	var list []string
	for tr := tar.NewReader(&b); ; {
		h, rerr := tr.Next()
		if errors.Is(rerr, io.EOF) {
			return list, got, err
		}
		if rerr != nil {
			t.Fatal(rerr)
		}
		line := fmt.Sprintf("%s %o", h.Name, h.Mode)
		if h.Linkname != "" {
			line += " -> " + h.Linkname
		}
		if h.Uid != 0 || h.Gid != 0 {
			line += " owned"
		}
		list = append(list, line)
	}
}

func TestRelay(t *testing.T) {
	reg := func(name string, mode int64) tar.Header {
		return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Uid: 7}
	}
	dir := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o700} }
	link := func(name, to string) tar.Header {
		return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to}
	}
	hard := func(name, to string) tar.Header { return tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: to} }
	for _, c := range []struct {
		name    string
		in      []tar.Header
		exclude string
		want    []string
		skipped int
	}{
		{"a folder comes with its files, for everybody", []tar.Header{dir("out/"), reg("out/a", 0o600), reg("out/run", 0o4755)}, "", []string{"t/1/ 777", "t/1/a 666", "t/1/run 777"}, 0},
		{"a single file takes the name that is wanted", []tar.Header{reg("answer.txt", 0o400)}, "", []string{"t/1 666"}, 0},
		{"what is excluded stays", []tar.Header{dir("out/"), reg("out/a", 0o600), reg("out/b", 0o600)}, "a", []string{"t/1/ 777", "t/1/b 666"}, 0},
		{
			"links within the folder stay links", []tar.Header{dir("out/"), reg("out/a", 0o600), dir("out/d/"), link("out/l", "a"), link("out/d/l", "../a"), hard("out/h", "out/a")}, "",
			[]string{"t/1/ 777", "t/1/a 666", "t/1/d/ 777", "t/1/l 777 -> a", "t/1/d/l 777 -> ../a", "t/1/h 666 -> t/1/a"}, 0,
		},
		{
			"links that lead out are left out",
			[]tar.Header{dir("out/"), link("out/1", "/tests/expected"), link("out/2", "../../tests/expected"), link("out/3", "x/../../.."), hard("out/4", "etc/passwd"), hard("out/5", "out/../x")}, "",
			[]string{"t/1/ 777"}, 5,
		},
		{
			"a chain of links cannot lead out", []tar.Header{dir("out/"), link("out/here", "."), link("out/up", "here/here/../../tests")}, "", []string{"t/1/ 777", "t/1/here 777 -> ."}, 1,
		},
		{
			"a second name of a link does not lead out from another place", []tar.Header{dir("out/"), dir("out/a/"), link("out/a/l", "../tests/expected"), hard("out/x", "out/a/l")}, "",
			[]string{"t/1/ 777", "t/1/a/ 777", "t/1/a/l 777 -> ../tests/expected"}, 1,
		},
		{
			"a second name of what did not cross is left out", []tar.Header{dir("out/"), {Typeflag: tar.TypeFifo, Name: "out/p"}, hard("out/x", "out/p"), reg("out/a", 0o600), hard("out/y", "out/a")}, "a",
			[]string{"t/1/ 777"}, 3,
		},
		{"an artifact that is a link itself is left out", []tar.Header{link("answer", "/tests/expected")}, "", nil, 1},
		{"nothing is written through a link", []tar.Header{dir("out/"), link("out/d", "e"), reg("out/d/x", 0o600), reg("out/d", 0o600)}, "", []string{"t/1/ 777", "t/1/d 777 -> e"}, 2},
		{"devices and pipes are left out", []tar.Header{dir("out/"), {Typeflag: tar.TypeFifo, Name: "out/p"}, {Typeflag: tar.TypeChar, Name: "out/c"}}, "", []string{"t/1/ 777"}, 2},
		{"names that climb are left out", []tar.Header{reg("../x", 0o600), reg("out/../../y", 0o600)}, "", nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := archive.RelayOptions{To: "t/1", Bytes: 1 << 20, Entries: 100, Exclude: func(name string) bool { return name == c.exclude }}
			list, got, err := relayed(t, tarOf(t, c.in...), opt)
			if d := cmp.Diff(c.want, list); d != "" || err != nil || len(got.Skipped) != c.skipped {
				t.Errorf("%v, skipped %q\n%s", err, got.Skipped, d)
			}
		})
	}
	t.Run("what is too much is told, and the archive before it is whole", func(t *testing.T) {
		for _, opt := range []archive.RelayOptions{{To: "t", Bytes: 6, Entries: 100}, {To: "t", Bytes: 100, Entries: 2}} {
			list, _, err := relayed(t, tarOf(t, dir("out/"), reg("out/a", 0o600), reg("out/b", 0o600)), opt)
			if !errors.As(err, new(*archive.LimitError)) || len(list) != 2 {
				t.Errorf("%v: %q", err, list)
			}
		}
	})
	t.Run("an archive that breaks off is an error", func(t *testing.T) {
		in := tarOf(t, dir("out/"), reg("out/a", 0o600))
		in.Truncate(1026)
		if _, err := archive.Relay(in, tar.NewWriter(io.Discard), archive.RelayOptions{To: "t", Bytes: 100, Entries: 9}); err == nil {
			t.Error("no error")
		}
	})
}

// FuzzRelay: whatever an agent's container sends, nothing is named or linked outside of where it belongs.
func FuzzRelay(f *testing.F) {
	f.Add(tarOf(f, tar.Header{Typeflag: tar.TypeDir, Name: "out/"}, tar.Header{Typeflag: tar.TypeSymlink, Name: "out/a/l", Linkname: "../b"}, tar.Header{Typeflag: tar.TypeReg, Name: "out/x"}).Bytes())
	f.Add(tarOf(f, tar.Header{Typeflag: tar.TypeLink, Name: "out/h", Linkname: "out/x"}).Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		_, _ = archive.Relay(bytes.NewReader(data), w, archive.RelayOptions{To: "own/1", Bytes: 1 << 20, Entries: 1000})
		_ = w.Flush()
		for tr := tar.NewReader(&b); ; {
			h, err := tr.Next()
			if err != nil {
				return
			}
			in := func(p string) bool { return p == "own/1" || strings.HasPrefix(p, "own/1/") }
			if !in(path.Clean(h.Name)) {
				t.Errorf("%q", h.Name)
			}
			switch h.Typeflag {
			case tar.TypeSymlink:
				if path.IsAbs(h.Linkname) || !in(path.Join(path.Dir(h.Name), h.Linkname)) {
					t.Errorf("%q -> %q", h.Name, h.Linkname)
				}
			case tar.TypeLink:
				if !in(path.Clean(h.Linkname)) {
					t.Errorf("%q => %q", h.Name, h.Linkname)
				}
			}
		}
	})
}
