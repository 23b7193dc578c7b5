package images

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tonistiigi/fsutil/types"
)

// formatVersion changes when images would come out otherwise from the same input.
const formatVersion = "1"

// Digest returns the key of a build, as sha256:...: over the Dockerfile's text,
// arguments, target, platform, labels and all of the context that is not
// ignored: paths, permission bits, link targets and content, not times and
// owners, which do not get into an image. It fails with *ContextError.
func Digest(ctx context.Context, r Request) (string, error) {
	d, err := open(r)
	if err != nil {
		return "", err
	}
	defer d.close()
	return d.digest(ctx)
}

func (d *definition) digest(ctx context.Context) (string, error) {
	h := sha256.New()
	put(h, "seatrial image", formatVersion, string(d.text), d.request.Target, d.request.Platform, d.request.Network)
	lists := []map[string]string{d.request.Args, d.request.Labels}
	if len(d.request.Pins) > 0 {
		lists = append(lists, d.request.Pins)
	}
	for _, m := range lists {
		put(h, strconv.Itoa(len(m)))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			put(h, k, m[k])
		}
	}
	err := d.walk(ctx, func(path string, st *types.Stat) error {
		mode := fs.FileMode(st.Mode)
		put(h, filepath.ToSlash(path), strconv.FormatUint(uint64(mode), 8))
		if mode.IsRegular() { // a hard link too: its first name may be an ignored one
			return d.content(h, path)
		}
		put(h, st.Linkname)
		return nil
	})
	if err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

func (d *definition) content(h hash.Hash, path string) error {
	f, err := d.files.Open(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	defer f.Close()
	inner := sha256.New()
	if _, err := io.Copy(inner, f); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	h.Write(inner.Sum(nil))
	return nil
}

// put writes texts so that no two lists of texts come out alike.
func put(h hash.Hash, texts ...string) {
	var n [8]byte
	for _, t := range texts {
		binary.BigEndian.PutUint64(n[:], uint64(len(t)))
		h.Write(n[:])
		io.WriteString(h, t) //nolint:errcheck // a hash takes all
	}
}
