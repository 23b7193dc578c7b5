package archive_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/archive"
)

func TestUnpackKeepsWhatCameBeforeABreak(t *testing.T) {
	whole := pack(t, in{name: "a", data: "first"}, in{name: "b", data: strings.Repeat("second ", 200)}, in{name: "c", data: "third"})
	for _, tc := range []struct {
		name  string
		keep  int
		entry string
		want  []string
	}{
		{"nothing at all", 0, "", nil},
		{"in the first header", 100, "", nil},
		{"between two entries", 1024, "a", []string{"a | file | at a"}},
		{"in the middle of a file", 1024 + 512 + 100, "b", []string{"a | file | at a", "b | file | at b | broken_off"}},
		{"before the end mark", len(whole) - 1024, "c", []string{"a | file | at a", "b | file | at b", "c | file | at c"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, err := archive.Unpack(bytes.NewReader(whole[:tc.keep]), openRoot(t, t.TempDir()), archive.UnpackOptions{})
			broken, ok := errors.AsType[*archive.StreamError](err)
			if !ok {
				t.Fatalf("error is %v, want a StreamError", err)
			}
			if broken.Entry != tc.entry || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error is %v, at %q, want an unexpected end at %q", err, broken.Entry, tc.entry)
			}
			if diff := cmp.Diff(tc.want, outcomes(list)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnpackMarksACaptureThatBroke(t *testing.T) {
	whole := pack(t, in{name: "r", data: strings.Repeat("x", 600)})
	list, err := archive.Unpack(bytes.NewReader(whole[:700]), nil, archive.UnpackOptions{Capture: map[string]int64{"r": 1000}})
	if err == nil {
		t.Fatal("no error")
	}
	want := archive.Captured{Data: bytes.Repeat([]byte("x"), 188), Size: 600, Kind: "file", Broken: true}
	if diff := cmp.Diff(want, list.Captured["r"]); diff != "" {
		t.Error(diff)
	}
}

func TestUnpackGivesUpOnAnEndlessArchive(t *testing.T) {
	data := pack(t, in{name: "a", data: "1"}, in{name: "b", data: strings.Repeat("x", 5000)})
	list, err := archive.Unpack(bytes.NewReader(data), openRoot(t, t.TempDir()), archive.UnpackOptions{Limits: archive.Limits{Stream: 2000}})
	limit, ok := errors.AsType[*archive.LimitError](err)
	if !ok || limit.Limit != 2000 {
		t.Fatalf("error is %v, want a LimitError of 2000", err)
	}
	if diff := cmp.Diff([]string{"a | file | at a", "b | file | at b | broken_off"}, outcomes(list)); diff != "" {
		t.Error(diff)
	}
}

func TestUnpackSurvivesHostileHeaders(t *testing.T) {
	huge := pack(t, in{name: "a", data: "1"})
	copy(huge[124:136], "77777777777\x00") // the size field, in octal
	fixSum(huge)
	for _, tc := range []struct {
		name string
		data []byte
		want []string
	}{
		{"a size of 8 GiB with one block behind it", huge, []string{"a | file | at a | broken_off"}},
		{"a record that claims a megabyte-long name", paxName(t, 1<<20), nil},
		{"no archive at all", []byte(strings.Repeat("HTTP/1.1 200 OK\r\n", 100)), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list, err := archive.Unpack(bytes.NewReader(tc.data), openRoot(t, t.TempDir()), archive.UnpackOptions{})
			if _, ok := errors.AsType[*archive.StreamError](err); !ok {
				t.Errorf("error is %v, want a StreamError", err)
			}
			if diff := cmp.Diff(tc.want, outcomes(list)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnpackListsSparseFilesOnly(t *testing.T) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	must(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "s", Size: 512}))
	_, err := w.Write(make([]byte, 512))
	must(t, err)
	must(t, w.Close())
	data := buf.Bytes()
	data[156] = tar.TypeGNUSparse
	copy(data[257:265], "ustar  \x00")
	copy(data[386:398], "00000000000\x00") // the one piece is at 0 ...
	copy(data[398:410], "00000001000\x00") // ... and 512 bytes long,
	copy(data[483:495], "77777777777\x00") // of a file of 8 GiB
	fixSum(data)
	list, err := archive.Unpack(bytes.NewReader(data), openRoot(t, t.TempDir()), archive.UnpackOptions{})
	must(t, err)
	if diff := cmp.Diff([]string{"s | sparse file | not_a_file"}, outcomes(list)); diff != "" {
		t.Error(diff)
	}
}

// fixSum puts right the check sum of the header at the start of data.
func fixSum(data []byte) {
	copy(data[148:156], "        ")
	sum := 0
	for _, b := range data[:512] {
		sum += int(b)
	}
	copy(data[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

// paxName is an archive whose first entry has a name of n bytes in an extended header, in a record that a tar writer
// would refuse to write.
func paxName(t *testing.T, n int) []byte {
	t.Helper()
	record := " path=" + strings.Repeat("a", n) + "\n"
	record = fmt.Sprint(len(record)+len(fmt.Sprint(len(record)))) + record
	data := pack(t, in{name: "x", data: record}, in{name: "a"})
	data[156] = tar.TypeXHeader
	fixSum(data)
	return data
}

func TestUnpackTellsWhatTheHostCouldNotWriteAndGoesOn(t *testing.T) {
	root := openRoot(t, t.TempDir())
	must(t, root.Close())
	list, err := archive.Unpack(bytes.NewReader(pack(t, in{name: "a", data: "1"}, in{name: "d/b"}, in{name: "r", data: "2"})), root, archive.UnpackOptions{
		Capture: map[string]int64{"r": 10},
	})
	host, ok := errors.AsType[*archive.HostError](err)
	if !ok || host.Entry != "a" || host.Count != 3 {
		t.Fatalf("error is %v, want a HostError of 3 entries from a on", err)
	}
	if diff := cmp.Diff([]string{"a | file | host", "d/b | file | host", "r | file | host"}, outcomes(list)); diff != "" {
		t.Error(diff)
	}
	if got := string(list.Captured["r"].Data); got != "2" {
		t.Errorf("captured %q", got)
	}
}
