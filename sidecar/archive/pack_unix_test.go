//go:build unix

package archive_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/archive"
)

func TestPackRefusesWhatIsNeitherFileNorFolder(t *testing.T) {
	for _, tc := range []struct {
		name, kind string
		make       func(t *testing.T, path string)
	}{
		{"a fifo", archive.KindFifo, func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o600)) }},
		{"a socket", archive.KindSocket, func(t *testing.T, path string) {
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
			must(t, err)
			t.Cleanup(func() { l.Close() })
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "x")
			tc.make(t, path)
			err := archive.Pack(io.Discard, root, archive.PackOptions{})
			kind, ok := errors.AsType[*archive.KindError](err)
			if !ok {
				t.Fatalf("error is %v, want a KindError", err)
			}
			if diff := cmp.Diff(archive.KindError{Path: path, Kind: tc.kind}, *kind); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPackCarriesNamesThatAreNotText(t *testing.T) {
	root := tree(t, "a\xffb\nc")
	pr := func(w io.Writer) error { return archive.Pack(w, root, archive.PackOptions{}) }
	var list archive.Listing
	must(t, archive.Pipe(pr, func(r io.Reader) (err error) {
		list, err = archive.Unpack(r, nil, archive.UnpackOptions{Capture: map[string]int64{"a\xffb\nc": 100}})
		return err
	}))
	if got := string(list.Captured["a\xffb\nc"].Data); got != "a\xffb\nc" {
		t.Errorf("captured %q", got)
	}
}

// TestMain fixes the umask, which the modes of unpacked files depend on.
func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	os.Exit(m.Run())
}
