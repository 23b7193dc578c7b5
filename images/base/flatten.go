package base

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// flatten copies an exported container's files, without what is left over from
// making it and without what was written before under the same name.
func (t *tree) flatten(exported io.Reader) error {
	in := tar.NewReader(exported)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the container's files: %w", err)
		}
		name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		if name == "" || LeftOver(name) || t.seen[name] {
			continue
		}
		h.Name = name
		if h.Typeflag == tar.TypeDir {
			h.Name += "/"
		}
		if err := t.put(h, in); err != nil {
			return err
		}
	}
}

// LeftOver tells whether a path of a container that set itself up is of no use
// in an image: our own working folder, what the engine puts there, caches, logs
// and old copies.
func LeftOver(name string) bool {
	dir, base := path.Dir(name), path.Base(name)
	switch {
	case name == work, strings.HasPrefix(name, work+"/"), name == ".dockerenv", strings.HasPrefix(name, "dev/"):
		return true
	case name == "etc/hostname", name == "etc/hosts", name == "etc/resolv.conf", name == "var/cache/ldconfig/aux-cache":
		return true
	case dir == "var/lib/apt/lists" && base != "partial", dir == "var/cache/apt/archives" && strings.HasSuffix(base, ".deb"):
		return true
	case dir == "var/cache/apt" && strings.HasSuffix(base, ".bin"):
		return true
	case dir == "var/lib/dpkg" || dir == "var/cache/debconf":
		return strings.HasSuffix(base, "-old")
	case strings.HasPrefix(name, "var/log/"):
		return strings.HasSuffix(base, ".log") || strings.HasPrefix(base, "dpkg.log")
	}
	return false
}
