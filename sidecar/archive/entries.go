package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
)

// Item is one file for Write.
type Item struct {
	Name string // slash-separated, relative to where the archive is unpacked
	Data []byte
	Mode fs.FileMode // permission bits only
}

// Write writes items to w as a complete tar stream, in the given order, owned by root and with FixedTime.
func Write(w io.Writer, items ...Item) error {
	out := tar.NewWriter(w)
	for _, it := range items {
		hdr := &tar.Header{
			Typeflag: tar.TypeReg,
			Name:     it.Name,
			Size:     int64(len(it.Data)),
			Mode:     int64(it.Mode.Perm()),
			ModTime:  FixedTime(),
		}
		if err := out.WriteHeader(hdr); err != nil {
			return fmt.Errorf("write %s to the archive: %w", it.Name, err)
		}
		if _, err := out.Write(it.Data); err != nil {
			return fmt.Errorf("write %s to the archive: %w", it.Name, err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("end the archive: %w", err)
	}
	return nil
}

// File writes one file to w as a complete tar stream.
func File(w io.Writer, name string, data []byte, mode fs.FileMode) error {
	return Write(w, Item{Name: name, Data: data, Mode: mode})
}

// Digest is the SHA-256, in hex, of the tree at root as Pack writes it with opt, but with fixed times and owners: it changes
// with names, content, links and execute bits, and with nothing else.
func Digest(root string, opt PackOptions) (string, error) {
	return DigestTrees(Tree{Root: root, PackOptions: opt})
}

// DigestTrees is Digest for several trees that are put at the same place, later ones over earlier ones.
func DigestTrees(trees ...Tree) (string, error) {
	plain := make([]Tree, len(trees))
	for i, t := range trees {
		t.KeepTimes, t.UID, t.GID, t.Prefix = false, 0, 0, ""
		plain[i] = t
	}
	sum := sha256.New()
	if err := PackTrees(sum, plain...); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
