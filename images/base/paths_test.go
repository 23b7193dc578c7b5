package base_test

import (
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seatrial/seatrial/images/base"
)

func TestPlace(t *testing.T) {
	tests := []struct {
		name, path string
		merged     bool
		want       string
	}{
		{name: "the root has no name", path: "./", want: ""},
		{name: "a path below usr stays", path: "./usr/bin/env", merged: true, want: "usr/bin/env"},
		{name: "bin goes to usr", path: "./bin/sh", merged: true, want: "usr/bin/sh"},
		{name: "the loader's folder goes to usr", path: "lib64/ld.so", merged: true, want: "usr/lib64/ld.so"},
		{name: "the folder itself stays", path: "./bin/", merged: true, want: "bin"},
		{name: "without merging all stays", path: "./bin/sh", want: "bin/sh"},
		{name: "no path leads out", path: "../../etc/passwd", want: "etc/passwd"},
		{name: "library is not lib", path: "library/x", merged: true, want: "library/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := base.Place(tt.path, tt.merged); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("./bin/../../x", true)
	f.Fuzz(func(t *testing.T, name string, merged bool) {
		got := base.Place(name, merged)
		if path.IsAbs(got) || got == ".." || strings.HasPrefix(got, "../") {
			t.Errorf("%q leads to %q", name, got)
		}
	})
}

func TestWhatImagesLeaveOut(t *testing.T) {
	tests := []struct {
		path           string
		slim, leftOver bool
	}{
		{path: "usr/share/doc/bash/changelog.gz", slim: true},
		{path: "usr/share/doc/bash/copyright"},
		{path: "usr/share/doc/bash"},
		{path: "usr/share/man/man1/sh.1.gz", slim: true},
		{path: "usr/share/locale/de/LC_MESSAGES/x.mo", slim: true},
		{path: "usr/share/locale/locale.alias"},
		{path: "usr/share/zoneinfo/UTC"},
		{path: "usr/bin/man"},
		{path: ".seatrial-base/debs/bash.deb", leftOver: true},
		{path: ".dockerenv", leftOver: true},
		{path: "etc/hostname", leftOver: true},
		{path: "etc/passwd"},
		{path: "dev/console", leftOver: true},
		{path: "dev"},
		{path: "var/lib/apt/lists/deb.debian.org_x_Packages", leftOver: true},
		{path: "var/lib/apt/lists/partial"},
		{path: "var/cache/apt/pkgcache.bin", leftOver: true},
		{path: "var/lib/dpkg/status"},
		{path: "var/lib/dpkg/status-old", leftOver: true},
		{path: "var/log/dpkg.log", leftOver: true},
		{path: "var/log/apt"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			if got := base.Slimmed(tt.path); got != tt.slim {
				t.Errorf("left out of slim images: %v, want %v", got, tt.slim)
			}
			if got := base.LeftOver(tt.path); got != tt.leftOver {
				t.Errorf("left over: %v, want %v", got, tt.leftOver)
			}
		})
	}
}

func TestHostMirror(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	debian := file("NAME=\"Debian\"\nID=debian\n")
	tests := []struct {
		name string
		root fstest.MapFS
		want string
	}{
		{name: "a host without apt has none", root: fstest.MapFS{}},
		{name: "a sources file is read", root: fstest.MapFS{
			"etc/os-release":                         debian,
			"etc/apt/sources.list.d/debian.sources":  file("Types: deb\nURIs: http://a.example/debian-security\n\nTypes: deb\nURIs: http://a.example/debian/\n"),
			"etc/apt/sources.list.d/another.sources": file("Types: deb\nURIs: https://packages.example\n"),
		}, want: "http://a.example/debian"},
		{name: "one that is switched off is passed over", root: fstest.MapFS{
			"etc/os-release":                        debian,
			"etc/apt/sources.list.d/debian.sources": file("URIs: http://a.example/debian\nEnabled: no\n"),
		}},
		{name: "an old list is read", root: fstest.MapFS{
			"etc/os-release":       debian,
			"etc/apt/sources.list": file("# deb http://no.example/debian x\ndeb [arch=amd64] http://b.example/debian bookworm main\n"),
		}, want: "http://b.example/debian"},
		{name: "a damaged file is passed over", root: fstest.MapFS{
			"etc/os-release":                   debian,
			"etc/apt/sources.list.d/a.sources": file("nonsense\n"),
			"etc/apt/sources.list.d/b.list":    file("deb http://c.example/debian bookworm main\n"),
		}, want: "http://c.example/debian"},
		{name: "another system's mirrors are of no use", root: fstest.MapFS{
			"etc/os-release":       file("ID=ubuntu\n"),
			"etc/apt/sources.list": file("deb http://b.example/debian bookworm main\n"),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := base.HostMirror(tt.root); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
