package archive_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/archive"
)

// tree makes files below a new folder: "name/" a folder, "name -> target" a link, "name*" an executable, else a file
// that holds its own name.
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, e := range entries {
		name, target, isLink := strings.Cut(e, " -> ")
		full := filepath.Join(root, strings.TrimSuffix(name, "*"))
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		switch {
		case isLink:
			must(t, os.Symlink(target, full))
		case strings.HasSuffix(e, "/"):
			must(t, os.MkdirAll(full, 0o700))
		case strings.HasSuffix(e, "*"):
			must(t, os.WriteFile(full, []byte(name), 0o700))
		default:
			must(t, os.WriteFile(full, []byte(name), 0o600))
		}
	}
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// describe reads a tar stream into one line an entry.
func describe(t *testing.T, data []byte) []string {
	t.Helper()
	var out []string
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		hdr, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		must(t, err)
		body, err := io.ReadAll(r)
		must(t, err)
		line := fmt.Sprintf("%c %s %04o %d:%d %s", hdr.Typeflag, hdr.Name, hdr.Mode, hdr.Uid, hdr.Gid, hdr.ModTime.UTC().Format(time.DateOnly))
		if hdr.Linkname != "" {
			line += " -> " + hdr.Linkname
		}
		if len(body) > 0 {
			line += " " + string(body)
		}
		out = append(out, line)
	}
}

func TestPackWritesATree(t *testing.T) {
	root := tree(t, "test.sh*", "lib/helper.py", "empty/", "lib/link.py -> helper.py", "up -> lib/../test.sh", "dangling -> lib/none", "é \"'$ x")
	for _, tc := range []struct {
		name string
		opt  archive.PackOptions
		want []string
	}{
		{
			"everything is root's, readable and sorted",
			archive.PackOptions{Prefix: "tests"},
			[]string{
				"5 tests/ 0755 0:0 2000-01-01",
				"2 tests/dangling 0777 0:0 2000-01-01 -> lib/none",
				"5 tests/empty/ 0755 0:0 2000-01-01",
				"5 tests/lib/ 0755 0:0 2000-01-01",
				"0 tests/lib/helper.py 0644 0:0 2000-01-01 lib/helper.py",
				"2 tests/lib/link.py 0777 0:0 2000-01-01 -> helper.py",
				"0 tests/test.sh 0755 0:0 2000-01-01 test.sh*",
				"2 tests/up 0777 0:0 2000-01-01 -> lib/../test.sh",
				"0 tests/é \"'$ x 0644 0:0 2000-01-01 é \"'$ x",
			},
		},
		{
			"owner and skipping are options",
			archive.PackOptions{UID: 7, GID: 8, Skip: func(name string, _ fs.DirEntry) bool { return name != "lib" && name != "lib/helper.py" }},
			[]string{
				"5 lib/ 0755 7:8 2000-01-01",
				"0 lib/helper.py 0644 7:8 2000-01-01 lib/helper.py",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var buf bytes.Buffer
			must(t, archive.Pack(&buf, root, tc.opt))
			if diff := cmp.Diff(tc.want, describe(t, buf.Bytes())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPackKeepsTimesWhenAsked(t *testing.T) {
	root := tree(t, "a")
	when := time.Date(2020, 2, 3, 4, 5, 6, 789, time.UTC)
	must(t, os.Chtimes(filepath.Join(root, "a"), when, when))
	var buf bytes.Buffer
	must(t, archive.Pack(&buf, root, archive.PackOptions{KeepTimes: true}))
	if diff := cmp.Diff([]string{"0 a 0644 0:0 2020-02-03 a"}, describe(t, buf.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestPackRefusesLinksThatLeadOut(t *testing.T) {
	for _, tc := range []struct{ name, link, target string }{
		{"an absolute link", "a", "/etc/passwd"},
		{"a link upwards", "a", "../x"},
		{"a link upwards from below", "d/a", "../../x"},
		{"a link that leads out through another link", "d/a", "l/../x"},
		{"a link with dots after names", "a", "b/../../x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := tree(t, "d/l -> ..", tc.link+" -> "+tc.target)
			err := archive.Pack(io.Discard, root, archive.PackOptions{Skip: func(name string, _ fs.DirEntry) bool { return name == "d/l" }})
			link, ok := errors.AsType[*archive.LinkError](err)
			if !ok {
				t.Fatalf("error is %v, want a LinkError", err)
			}
			want := archive.LinkError{Path: filepath.Join(root, tc.link), Target: tc.target}
			if diff := cmp.Diff(want, *link); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPackKeepsALinkLoopWithinTheTree(t *testing.T) {
	var buf bytes.Buffer
	must(t, archive.Pack(&buf, tree(t, "a -> b", "b -> a"), archive.PackOptions{}))
	if got := len(describe(t, buf.Bytes())); got != 2 {
		t.Errorf("%d entries, want 2", got)
	}
}

func TestPackNamesAMissingFolder(t *testing.T) {
	err := archive.Pack(io.Discard, filepath.Join(t.TempDir(), "none"), archive.PackOptions{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want fs.ErrNotExist", err)
	}
}

func TestPackPassesOnWriteErrors(t *testing.T) {
	pr, pw := io.Pipe()
	broken := errors.New("broken")
	pr.CloseWithError(broken)
	if err := archive.Pack(pw, tree(t, "a"), archive.PackOptions{}); !errors.Is(err, broken) {
		t.Errorf("error is %v, want %v", err, broken)
	}
}

func TestFile(t *testing.T) {
	var buf bytes.Buffer
	must(t, archive.File(&buf, "a/b", []byte("x"), 0o750))
	if diff := cmp.Diff([]string{"0 a/b 0750 0:0 2000-01-01 x"}, describe(t, buf.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestDigest(t *testing.T) {
	base := tree(t, "a", "d/b", "l -> a")
	sum := digest(t, base)
	same := tree(t, "l -> a", "d/b", "a")
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	must(t, os.Chtimes(filepath.Join(same, "a"), old, old))
	if got := digest(t, same); got != sum {
		t.Errorf("times and order change the digest: %s, %s", got, sum)
	}
	for _, tc := range []struct {
		name string
		tree []string
	}{
		{"another name changes it", []string{"A", "d/b", "l -> a"}},
		{"an execute bit changes it", []string{"a*", "d/b", "l -> a"}},
		{"a link's target changes it", []string{"a", "d/b", "l -> d"}},
		{"an empty folder changes it", []string{"a", "d/b", "l -> a", "e/"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if digest(t, tree(t, tc.tree...)) == sum {
				t.Error("the digest is the same")
			}
		})
	}
}

func digest(t *testing.T, root string) string {
	t.Helper()
	sum, err := archive.Digest(root, archive.PackOptions{Prefix: "x", UID: 3})
	must(t, err)
	return sum
}

func TestPipe(t *testing.T) {
	broken := errors.New("broken")
	pack := func(w io.Writer) error { return archive.File(w, "a", bytes.Repeat([]byte("x"), 1<<20), 0o644) }
	all := func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
	for _, tc := range []struct {
		name    string
		produce func(io.Writer) error
		consume func(io.Reader) error
		want    error
	}{
		{"both end well", pack, all, nil},
		{"a consumer that stops early is content", pack, func(io.Reader) error { return nil }, nil},
		{"a consumer's failure is passed on", pack, func(io.Reader) error { return broken }, broken},
		{"a producer's failure is passed on", func(io.Writer) error { return broken }, all, broken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := archive.Pipe(tc.produce, tc.consume); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("error is %v, want %v", err, tc.want)
			}
		})
	}
}
