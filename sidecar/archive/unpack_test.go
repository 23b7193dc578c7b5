package archive_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/mask"
)

// Unpacking is one function, and this is the table of what archives of strangers can hold.

// in is one entry of an archive to unpack; a file when kind is 0.
type in struct {
	name, data string
	kind       byte
	link       string
	mode       int64
}

func pack(t testing.TB, entries ...in) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		hdr := &tar.Header{Typeflag: e.kind, Name: e.name, Linkname: e.link, Mode: e.mode, Size: int64(len(e.data))}
		if e.kind == 0 {
			hdr.Typeflag = tar.TypeReg
		}
		must(t, w.WriteHeader(hdr))
		_, err := io.WriteString(w, e.data)
		must(t, err)
	}
	must(t, w.Close())
	return buf.Bytes()
}

// found lists what lies below a folder: "name mode content", without following links.
func found(t testing.TB, root string) []string {
	t.Helper()
	var out []string
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		must(t, err)
		rel, err := filepath.Rel(root, path)
		must(t, err)
		if rel == "." {
			return nil
		}
		info, err := d.Info()
		must(t, err)
		line := fmt.Sprintf("%s %v", rel, info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			must(t, err)
			line += " " + string(data)
		}
		out = append(out, line)
		return nil
	}))
	return out
}

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { root.Close() })
	return root
}

// outcomes are the entries as the tables below write them: name, kind, and where it went or why not.
func outcomes(list archive.Listing) []string {
	var out []string
	for _, e := range list.Entries {
		line := e.Name + " | " + e.Kind
		if e.Target != "" {
			line += " to " + e.Target
		}
		if e.Path != "" {
			line += " | at " + e.Path
		}
		if e.Problem != "" {
			line += " | " + e.Problem
		}
		out = append(out, line)
	}
	return out
}

// TestUnpack is the one table of entries that a stranger's archive may hold, with where each went or why it did not.
func TestUnpack(t *testing.T) {
	long := strings.Repeat("n", 300)
	for _, tc := range []struct {
		name    string
		entries []in
		opt     archive.UnpackOptions
		want    []string // outcomes
		files   []string // on the host
	}{
		{
			name: "folders and files are written with plain modes",
			entries: []in{
				{name: "a/", kind: tar.TypeDir, mode: 0o1777},
				{name: "a/run", data: "x", mode: 0o4755},
				{name: "a/secret", data: "y", mode: 0o000},
				{name: "b/c/d", data: "z", mode: 0o2620},
			},
			want:  []string{"a | directory | at a", "a/run | file | at a/run", "a/secret | file | at a/secret", "b/c/d | file | at b/c/d"},
			files: []string{"a drwxr-xr-x", "a/run -rwxr-xr-x x", "a/secret -rw-r--r-- y", "b drwxr-xr-x", "b/c drwxr-xr-x", "b/c/d -rw-r--r-- z"},
		},
		{
			name: "names that lead out are listed only",
			entries: []in{
				{name: "../x", data: "x"}, {name: "/etc/x", data: "x"}, {name: "a/../../x", data: "x"}, {name: "a/..", kind: tar.TypeDir}, {name: "./ok", data: "x"},
			},
			want:  []string{"../x | file | escapes", "/etc/x | file | escapes", "a/../../x | file | escapes", "a/.. | directory | escapes", "./ok | file | at ok"},
			files: []string{"ok -rw-r--r-- x"},
		},
		{
			name: "links and devices are listed only",
			entries: []in{
				{name: "l", kind: tar.TypeSymlink, link: "/etc/passwd"},
				{name: "h", kind: tar.TypeLink, link: "../../secret"},
				{name: "c", kind: tar.TypeChar}, {name: "b", kind: tar.TypeBlock}, {name: "p", kind: tar.TypeFifo},
			},
			want:  []string{"l | link to /etc/passwd | not_a_file", "h | hard link to ../../secret | not_a_file", "c | device | not_a_file", "b | device | not_a_file", "p | fifo | not_a_file"},
			files: nil,
		},
		{
			name:    "a file below a link is written below the destination, not through the link",
			entries: []in{{name: "l", kind: tar.TypeSymlink, link: "/tmp"}, {name: "l/x", data: "x"}},
			want:    []string{"l | link to /tmp | not_a_file", "l/x | file | at l/x"},
			files:   []string{"l drwxr-xr-x", "l/x -rw-r--r-- x"},
		},
		{
			name:    "the first of two entries with one name is kept",
			entries: []in{{name: "a", data: "1"}, {name: "./a", data: "2"}},
			want:    []string{"a | file | at a", "./a | file | duplicate"},
			files:   []string{"a -rw-r--r-- 1"},
		},
		{
			name:    "a file where a folder is, and a folder where a file is, are left out",
			entries: []in{{name: "f", data: "1"}, {name: "f/x", data: "2"}, {name: "f/", kind: tar.TypeDir}, {name: "d/", kind: tar.TypeDir}, {name: "d", data: "3"}},
			want:    []string{"f | file | at f", "f/x | file | clash", "f | directory | clash", "d | directory | at d", "d | file | clash"},
			files:   []string{"d drwxr-xr-x", "f -rw-r--r-- 1"},
		},
		{
			name: "routes put folders where they belong, the longest first",
			entries: []in{
				{name: "logs/", kind: tar.TypeDir}, {name: "logs/agent/", kind: tar.TypeDir}, {name: "logs/agent/x", data: "1"},
				{name: "logs/agent/deep/y", data: "2"}, {name: "logs/agents/z", data: "3"}, {name: "logs/verifier", data: "a file"},
			},
			opt:   archive.UnpackOptions{Routes: map[string]string{"logs/agent": "agent", "logs/agent/deep/": "", "logs/verifier": "v"}},
			want:  []string{"logs | directory | no_route", "logs/agent | directory | at agent", "logs/agent/x | file | at agent/x", "logs/agent/deep/y | file | at y", "logs/agents/z | file | no_route", "logs/verifier | file | at v"},
			files: []string{"agent drwxr-xr-x", "agent/x -rw-r--r-- 1", "v -rw-r--r-- a file", "y -rw-r--r-- 2"},
		},
		{
			name:    "names that the host cannot hold are changed in a fixed way",
			entries: []in{{name: "d\xff/a\xfeb", data: "1"}, {name: long, data: "2"}, {name: long + "m", data: "3"}},
			want: []string{
				"d\uFFFD/a\uFFFDb | file | at d_~608a13fc/a_b~c60dcd08",
				long + " | file | at " + long[:246] + "~230b0774",
				long + "m | file | at " + long[:246] + "~28388d47",
			},
			files: []string{
				"d_~608a13fc drwxr-xr-x", "d_~608a13fc/a_b~c60dcd08 -rw-r--r-- 1",
				long[:246] + "~230b0774 -rw-r--r-- 2", long[:246] + "~28388d47 -rw-r--r-- 3",
			},
		},
		{
			name:    "names that differ in case only are told apart where the host does not",
			entries: []in{{name: "Dir/A", data: "1"}, {name: "dir/a", data: "2"}, {name: "dir/a", data: "3"}, {name: "Dir/a", data: "4"}},
			opt:     archive.UnpackOptions{FoldCase: true},
			want:    []string{"Dir/A | file | at Dir/A", "dir/a | file | at dir~2b64c6d9/a", "dir/a | file | duplicate", "Dir/a | file | at Dir/a~ca978112"},
			files:   []string{"Dir drwxr-xr-x", "Dir/A -rw-r--r-- 1", "Dir/a~ca978112 -rw-r--r-- 4", "dir~2b64c6d9 drwxr-xr-x", "dir~2b64c6d9/a -rw-r--r-- 2"},
		},
		{
			name:    "names that Windows cannot hold are changed where it matters",
			entries: []in{{name: "a:b"}, {name: "nul.txt"}, {name: "com1"}, {name: "dot."}, {name: "common"}, {name: "q?\\"}},
			opt:     archive.UnpackOptions{WindowsNames: true},
			want: []string{
				"a:b | file | at a_b~6783a31e", "nul.txt | file | at _nul.txt~7f3cbdd5", "com1 | file | at _com1~957a49c3",
				"dot. | file | at dot_~d65b1836", "common | file | at common", "q?\\ | file | at q__~df24d853",
			},
			files: []string{
				"_com1~957a49c3 -rw-r--r-- ", "_nul.txt~7f3cbdd5 -rw-r--r-- ", "a_b~6783a31e -rw-r--r-- ", "common -rw-r--r-- ",
				"dot_~d65b1836 -rw-r--r-- ", "q__~df24d853 -rw-r--r-- ",
			},
		},
		{
			name:    "long and deep names are listed only",
			entries: []in{{name: strings.Repeat("a/", 6) + "x", data: "1"}, {name: strings.Repeat("b", 41), data: "2"}, {name: "ok", data: "3"}},
			opt:     archive.UnpackOptions{Limits: archive.Limits{Depth: 5, Path: 40}},
			want:    []string{"a/a/a/a/a/a/x | file | name", strings.Repeat("b", 40) + " | file | name", "ok | file | at ok"},
			files:   []string{"ok -rw-r--r-- 3"},
		},
		{
			name:    "the head of a file that is too long is kept",
			entries: []in{{name: "a", data: "12345"}, {name: "b", data: "1234"}},
			opt:     archive.UnpackOptions{Limits: archive.Limits{File: 4}},
			want:    []string{"a | file | at a | truncated", "b | file | at b"},
			files:   []string{"a -rw-r--r-- 1234", "b -rw-r--r-- 1234"},
		},
		{
			name:    "all files together stay within their limit",
			entries: []in{{name: "a", data: "12345"}, {name: "b", data: "12345"}, {name: "c", data: "12345"}, {name: "d"}},
			opt:     archive.UnpackOptions{Limits: archive.Limits{Total: 8}},
			want:    []string{"a | file | at a", "b | file | at b | truncated", "c | file | at c | truncated", "d | file | at d"},
			files:   []string{"a -rw-r--r-- 12345", "b -rw-r--r-- 123", "c -rw-r--r-- ", "d -rw-r--r-- "},
		},
		{
			name:    "a secret is masked, also where a long file is cut",
			entries: []in{{name: "a", data: "key=hunter22!"}, {name: "b", data: "0123hunter22"}},
			opt: archive.UnpackOptions{
				Limits: archive.Limits{File: 13},
				Mask: func(_ string, r io.Reader) io.Reader {
					return mask.NewMasker([]string{"hunter22"}).Reader(r)
				},
			},
			want:  []string{"a | file | at a", "b | file | at b"},
			files: []string{"a -rw-r--r-- key=[masked]!", "b -rw-r--r-- 0123[masked]"},
		},
		{
			name:    "entries beyond the limit are counted",
			entries: []in{{name: "a", data: "1"}, {name: "b", data: "2"}, {name: "c", data: "3"}},
			opt:     archive.UnpackOptions{Limits: archive.Limits{Entries: 2}},
			want:    []string{"a | file | at a", "b | file | at b"},
			files:   []string{"a -rw-r--r-- 1", "b -rw-r--r-- 2"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			list, err := archive.Unpack(bytes.NewReader(pack(t, tc.entries...)), openRoot(t, dir), tc.opt)
			must(t, err)
			if diff := cmp.Diff(tc.want, outcomes(list)); diff != "" {
				t.Error(diff)
			}
			if got := len(list.Entries) + list.Unlisted; got != len(tc.entries) {
				t.Errorf("%d entries accounted for, want %d", got, len(tc.entries))
			}
			if diff := cmp.Diff(tc.files, found(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnpackNeverWritesThroughLinksOnTheHost(t *testing.T) {
	outside := tree(t, "victim", "d/victim")
	dir := t.TempDir()
	must(t, os.Symlink(filepath.Join(outside, "victim"), filepath.Join(dir, "a")))
	must(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "b")))
	must(t, os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o400))

	list, err := archive.Unpack(bytes.NewReader(pack(t, in{name: "a", data: "new"}, in{name: "b/victim", data: "new"}, in{name: "old", data: "new"})), openRoot(t, dir), archive.UnpackOptions{})
	must(t, err)
	if diff := cmp.Diff([]string{"a | file | at a", "b/victim | file | clash", "old | file | at old"}, outcomes(list)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"d drwxr-xr-x", "d/victim -rw------- d/victim", "victim -rw------- victim"}, found(t, outside)); diff != "" {
		t.Error("outside:", diff)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "old")); err != nil || string(data) != "new" {
		t.Errorf("old holds %q, %v", data, err)
	}
}

func TestUnpackCaptures(t *testing.T) {
	for _, tc := range []struct {
		name    string
		entries []in
		only    bool
		want    archive.Captured
		files   []string
	}{
		{"a short file whole, and on the host", []in{{name: "./v/reward.json", data: "{}"}}, false, archive.Captured{Data: []byte("{}"), Size: 2, Kind: "file"}, []string{"v drwxr-xr-x", "v/reward.json -rw-r--r-- {}"}},
		{"a long file's head, and all of it on the host", []in{{name: "v/reward.json", data: "123456"}}, false, archive.Captured{Data: []byte("1234"), Size: 6, Kind: "file"}, []string{"v drwxr-xr-x", "v/reward.json -rw-r--r-- 123456"}},
		{"in memory only when asked", []in{{name: "v/reward.json", data: "123456"}}, true, archive.Captured{Data: []byte("1234"), Size: 6, Kind: "file"}, nil},
		{"an empty file", []in{{name: "v/reward.json"}}, true, archive.Captured{Data: []byte{}, Kind: "file"}, nil},
		{"a link with its target", []in{{name: "v/reward.json", kind: tar.TypeSymlink, link: "/proc/self/environ"}}, false, archive.Captured{Kind: "link", Target: "/proc/self/environ"}, nil},
		{"a folder", []in{{name: "v/reward.json/", kind: tar.TypeDir}}, true, archive.Captured{Kind: "directory"}, nil},
		{"a link in the place of the folder above", []in{{name: "v", kind: tar.TypeSymlink, link: "/etc"}}, false, archive.Captured{Kind: "link", Target: "/etc"}, nil},
		{"the first of two", []in{{name: "v/reward.json", data: "1"}, {name: "v/reward.json", data: "2"}}, false, archive.Captured{Data: []byte("1"), Size: 1, Kind: "file"}, []string{"v drwxr-xr-x", "v/reward.json -rw-r--r-- 1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			list, err := archive.Unpack(bytes.NewReader(pack(t, tc.entries...)), openRoot(t, dir), archive.UnpackOptions{
				Capture: map[string]int64{"v/reward.json": 4}, CaptureOnly: tc.only,
			})
			must(t, err)
			if diff := cmp.Diff(map[string]archive.Captured{"v/reward.json": tc.want}, list.Captured); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.files, found(t, dir)); diff != "" && !tc.only {
				t.Error(diff)
			}
		})
	}
}

func TestUnpackCapturesBeyondTheEntryLimit(t *testing.T) {
	list, err := archive.Unpack(bytes.NewReader(pack(t, in{name: "a"}, in{name: "b"}, in{name: "r", data: "1"})), nil, archive.UnpackOptions{
		Capture: map[string]int64{"r": 10}, Limits: archive.Limits{Entries: 1},
	})
	must(t, err)
	if got := string(list.Captured["r"].Data); got != "1" {
		t.Errorf("captured %q, want 1", got)
	}
}
