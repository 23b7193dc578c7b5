package images_test

import (
	"strings"
	"testing"

	"github.com/distribution/reference"

	"github.com/seatrial/seatrial/images"
)

func TestTag(t *testing.T) {
	const digest = "sha256:0123456789abcdef0123456789abcdef"
	tests := []struct{ name, hint, want string }{
		{"a plain name stays", "hello", "seatrial/hello:0123456789abcdef"},
		{"capitals and signs go", "My Task__(2)/x", "seatrial/my-task-2-x:0123456789abcdef"},
		{"signs at the ends go", "--a--", "seatrial/a:0123456789abcdef"},
		{"other scripts leave a word", "задача", "seatrial/task:0123456789abcdef"},
		{"no name leaves a word", "", "seatrial/task:0123456789abcdef"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := images.Tag(tt.hint, digest); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzTag(f *testing.F) {
	f.Add("a/b")
	f.Add(strings.Repeat("x-", 300))
	f.Fuzz(func(t *testing.T, name string) {
		tag := images.Tag(name, "sha256:0123456789abcdef0123")
		if _, err := reference.ParseNormalizedNamed(tag); err != nil || len(tag) > 128 {
			t.Errorf("%q is no reference: %v", tag, err)
		}
	})
}

func TestMakeable(t *testing.T) {
	tests := []struct {
		ref, name string
		ok        bool
	}{
		{"busybox", "busybox:latest", true},
		{"docker.io/library/debian:trixie-slim", "debian:trixie-slim", true},
		{"debian", "debian:latest", false},
		{"ghcr.io/x/busybox", "ghcr.io/x/busybox:latest", false},
		{"busybox@sha256:" + strings.Repeat("0", 64), "", false},
		{"Not A Reference", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.ref, func(t *testing.T) {
			if name, ok := images.Makeable(tt.ref); ok != tt.ok || name != tt.name {
				t.Errorf("got %q %v, want %q %v", name, ok, tt.name, tt.ok)
			}
		})
	}
}
