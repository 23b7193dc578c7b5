package images_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/distribution/reference"

	"github.com/seatrial/seatrial/images"
)

func TestWithoutSyntax(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no such line, no change", "FROM a\n", "FROM a\n"},
		{"the line becomes an empty comment", "# syntax=docker/dockerfile:1.7\nFROM a\n", "#\nFROM a\n"},
		{"spaces and other directives do not hide it", "# escape=`\n#  syntax = x/y  \nFROM a\n", "# escape=`\n#\nFROM a\n"},
		{"a shebang before it does not hide it", "#!/bin/x\n# syntax=x\nFROM a\n", "#!/bin/x\n#\nFROM a\n"},
		{"Windows line ends do not hide it", "# syntax=x\r\nFROM a\r\n", "#\nFROM a\r\n"},
		{"after an instruction it is a comment", "FROM a\n# syntax=x\n", "FROM a\n# syntax=x\n"},
		{"in a heredoc it stays", "FROM a\nRUN <<EOF\n# syntax=x\nEOF\n", "FROM a\nRUN <<EOF\n# syntax=x\nEOF\n"},
		{"an empty file stays empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(images.WithoutSyntax([]byte(tt.text))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzWithoutSyntax(f *testing.F) {
	f.Add([]byte("# syntax=x\nFROM a\n"))
	f.Add([]byte("\xef\xbb\xbf# syntax=x"))
	f.Add([]byte("// syntax=x\n"))
	f.Add([]byte(`{"syntax": "x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		once := images.WithoutSyntax(text)
		if twice := images.WithoutSyntax(once); !bytes.Equal(once, twice) {
			t.Errorf("a syntax line is left: %q", once)
		}
	})
}

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
