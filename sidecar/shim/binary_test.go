package shim_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestBinary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ arch, file string }{{"amd64", "amd64"}, {"x86_64", "amd64"}, {"arm64", "arm64"}, {"aarch64", "arm64"}} {
		t.Run(c.arch, func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile("bin/shim-linux-" + c.file)
			got, gerr := shim.Binary(c.arch)
			digest, derr := shim.Digest(c.arch)
			if err != nil {
				missing := new(shim.NotBuiltError)
				if !errors.As(gerr, &missing) || missing.Arch != c.file || !errors.As(derr, &missing) || !strings.Contains(gerr.Error(), "make build") {
					t.Errorf("%v, %v", gerr, derr)
				}
				return
			}
			if gerr != nil || derr != nil || !bytes.Equal(got, want) || len(digest) != 64 {
				t.Errorf("%d bytes, %v, digest %q, %v", len(got), gerr, digest, derr)
			}
			const most = 4 << 20
			if len(got) > most || !bytes.HasPrefix(got, []byte("\x7fELF")) {
				t.Errorf("the helper has %d bytes", len(got))
			}
		})
	}
	_, err := shim.Binary("s390x")
	if missing := new(shim.NotBuiltError); !errors.As(err, &missing) || missing.Arch != "s390x" || slices.Contains(missing.Have, "s390x") {
		t.Errorf("%v", err)
	}
	if _, err := shim.Binary("../README.md"); err == nil {
		t.Error("a path is no architecture")
	}
}
