package bundle

import (
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"syscall"
)

var errNoFile = errors.New("it is not a regular file any more")

// opened is a regular file of the bundle; no link is followed to a place outside its folder.
func (f file) opened() (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, nil, fmt.Errorf("bundle: %w", err)
	}
	defer root.Close()
	h, err := root.OpenFile(f.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("bundle: %w", err)
	}
	st, err := h.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		return nil, nil, fmt.Errorf("bundle: %s: %w", f.name, errors.Join(err, h.Close()))
	}
	return h, st, nil
}

// scan says whether a file holds a secret, and how many bytes it has without.
func (w *writer) scan(f file) (holds bool, size int64, err error) {
	h, _, err := f.opened()
	if err != nil {
		return false, 0, err
	}
	defer h.Close()
	table := crc64.MakeTable(crc64.ECMA)
	plain, masked := crc64.New(table), crc64.New(table)
	size, err = io.Copy(masked, w.mask.Reader(io.TeeReader(h, plain)))
	if err != nil {
		return false, 0, fmt.Errorf("bundle: %s: %w", f.name, err)
	}
	return plain.Sum64() != masked.Sum64(), size, nil
}

// put writes a file of the trial, secrets masked.
func (w *writer) put(f file) error {
	size, holds := int64(-1), false
	if w.mask.Any() && !f.decides {
		var err error
		if holds, size, err = w.scan(f); err != nil {
			return err
		}
	}
	h, st, err := f.opened()
	if err != nil {
		return err
	}
	defer h.Close()
	var r io.Reader = h
	if holds {
		r = w.mask.Reader(h)
	} else {
		size = st.Size()
	}
	return w.entry(f.to, 0o644|st.Mode().Perm()&0o111, size, io.LimitReader(r, size), false)
}
