//go:build linux

package tree

import (
	"errors"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// MaxMeasured is how many entries Measure looks at.
const MaxMeasured = 1_000_000

// Measure adds up the sizes of the regular files at and below the absolute path p, and counts everything that is not a
// folder. It stops after MaxMeasured entries, and goes maxDepth folders deep; what it then returns is too little. A
// missing path measures nothing.
func Measure(p string) (bytes, files int64, err error) {
	at, err := locate(p)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer at.close()
	m := meter{left: MaxMeasured}
	m.add(at, 0)
	return m.bytes, m.files, nil
}

type meter struct{ bytes, files, left int64 }

func (m *meter) add(p place, depth int) {
	if m.left--; m.left < 0 {
		return
	}
	st, err := p.stat()
	if err != nil {
		return // it has just gone
	}
	if !isDir(st) {
		m.files++
		if st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size > 0 {
			// Sizes of sparse files are up to the command; their sum must not wrap.
			m.bytes = min(m.bytes, maxBytes-st.Size) + st.Size
		}
		return
	}
	if depth > maxDepth {
		return
	}
	dir, err := p.open()
	if err != nil {
		return
	}
	defer dir.Close()
	for m.left > 0 {
		list, err := names(dir, 512)
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
		for _, name := range list {
			m.add(place{dir, name}, depth+1)
		}
	}
}

const maxBytes = 1<<63 - 1
