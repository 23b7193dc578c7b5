package base

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// defaultMirror is used where the host is no Debian system and none was asked for.
const defaultMirror = "https://deb.debian.org/debian"

// maxSources bounds a file of the host's apt that is read, in bytes.
const maxSources = 1 << 20

// HostMirror returns the mirror of Debian's main archive that a host's own apt
// uses, empty where the host is no Debian system. root is the host's root
// folder. A file that cannot be read or understood is passed over.
func HostMirror(root fs.FS) string {
	release := readSmall(root, "etc/os-release")
	if !slices.Contains(strings.Split(string(release), "\n"), "ID=debian") {
		return ""
	}
	files, _ := fs.Glob(root, "etc/apt/sources.list.d/*.sources")
	for _, name := range files {
		for p, err := range Paragraphs(bytes.NewReader(readSmall(root, name)), "URIs", "Enabled") {
			if err != nil {
				break
			}
			if m := firstMirror(strings.Fields(p["URIs"])); m != "" && p["Enabled"] != "no" {
				return m
			}
		}
	}
	lists, _ := fs.Glob(root, "etc/apt/sources.list.d/*.list")
	for _, name := range append([]string{"etc/apt/sources.list"}, lists...) {
		for line := range strings.Lines(string(readSmall(root, name))) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "deb" {
				if m := firstMirror(words[1:]); m != "" {
					return m
				}
			}
		}
	}
	return ""
}

// securityOf returns the place of the security updates beside a mirror, by
// Debian's custom for its mirrors' layout; empty where there is no telling.
func securityOf(mirror string) string {
	if strings.HasSuffix(mirror, "/debian") {
		return mirror + "-security"
	}
	return ""
}

// insideMirror is the mirror's address as the image's own apt is told. The slim
// images have no certificates to check TLS with, and Debian's own mirror serves
// both; packages are signed all the same.
func insideMirror(mirror string) string {
	if rest, ok := strings.CutPrefix(mirror, "https://deb.debian.org/"); ok {
		return "http://deb.debian.org/" + rest
	}
	return mirror
}

func firstMirror(words []string) string {
	for _, w := range words {
		w = strings.TrimRight(w, "/")
		if web := strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://"); web && strings.HasSuffix(w, "/debian") {
			return w
		}
	}
	return ""
}

func readSmall(root fs.FS, name string) []byte {
	info, err := fs.Stat(root, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSources {
		return nil
	}
	data, err := fs.ReadFile(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return data
}
