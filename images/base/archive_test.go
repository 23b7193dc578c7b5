package base_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"

	"github.com/seatrial/seatrial/images/base"
)

// bareEngine has no images and makes none: whoever gets as far as an import panics.
type bareEngine struct{ base.Engine }

func (bareEngine) ImageInspect(context.Context, string, ...client.ImageInspectOption) (image.InspectResponse, error) {
	return image.InspectResponse{}, errdefs.ErrNotFound
}

func (bareEngine) Info(context.Context) (system.Info, error) {
	return system.Info{ID: "bare", Architecture: "x86_64"}, nil
}

func TestMakeTrustsOnlySignedArchives(t *testing.T) {
	signed, err := os.ReadFile("testdata/InRelease")
	if err != nil {
		t.Fatal(err)
	}
	tampered := bytes.Replace(signed, []byte("Suite: stable-updates"), []byte("Suite: stable-changes"), 1)
	if bytes.Equal(signed, tampered) {
		t.Fatal("nothing was changed")
	}
	var signature *base.SignatureError
	var fetch *base.FetchError
	var format *base.FormatError
	tests := []struct {
		name     string
		release  []byte // nil: the mirror has none
		unsigned bool
		want     any
		says     string
	}{
		{name: "a signed one of another suite is read, but refused", release: signed, want: &format, says: `it is of "trixie-updates"`},
		{name: "a changed one is refused", release: tampered, want: &signature, says: "is not signed by Debian"},
		{name: "an unsigned one is refused", release: []byte("Codename: trixie\n"), want: &signature, says: "it bears no signature"},
		{name: "an unsigned one is read if that is allowed", release: []byte("Codename: trixie\n"), unsigned: true, want: &format, says: "it lists no packages for amd64"},
		{name: "a mirror without the suite is named", want: &fetch, says: "the mirror answered 404"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/InRelease") || tt.release == nil {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write(tt.release)
			}))
			defer mirror.Close()
			_, err := base.Make(t.Context(), bareEngine{}, "debian:trixie-slim",
				base.Options{Mirror: mirror.URL + "/debian/", Force: true, AllowUnsigned: tt.unsigned})
			if !errors.As(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %T %v, want %T that says %q", err, err, tt.want, tt.says)
			}
		})
	}
}

func TestMakeRefusesWhatTheReleaseDoesNotPromise(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const release = "Codename: trixie\nSHA256:\n " + zeros + " 5 main/binary-amd64/Packages.gz\n"
	asked := 0
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := "other"
		if strings.HasSuffix(r.URL.Path, "/InRelease") {
			text = release
		} else {
			asked++
		}
		_, _ = w.Write([]byte(text))
	}))
	defer mirror.Close()
	_, err := base.Make(t.Context(), bareEngine{}, "busybox", base.Options{Mirror: mirror.URL, Force: true, AllowUnsigned: true})
	var fetch *base.FetchError
	if !errors.As(err, &fetch) || asked != 3 {
		t.Errorf("got %v after %d tries, want a FetchError after 3", err, asked)
	}
}
