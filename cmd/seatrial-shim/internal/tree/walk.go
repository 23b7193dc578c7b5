//go:build linux

package tree

import (
	"errors"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// walker shows everything at and below a place that is not a folder, without following links. It looks at a bounded number of entries, and goes
// maxDepth folders deep.
type walker struct {
	left int64
	deep bool // something was deeper than maxDepth
	show func(st unix.Stat_t)
}

// walk shows what is at and below the absolute path p, looking at most entries. all says whether it saw every one. A missing path has nothing.
func walk(p string, most int64, show func(st unix.Stat_t)) (all bool, err error) {
	at, err := locate(p)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer at.close()
	w := walker{left: most, show: show}
	w.at(at, 0)
	return w.left > 0 && !w.deep, nil
}

func (w *walker) at(p place, depth int) {
	if w.left--; w.left < 0 {
		return
	}
	st, err := p.stat()
	if err != nil {
		return // it has just gone
	}
	if !isDir(st) {
		w.show(st)
		return
	}
	if depth > maxDepth {
		w.deep = true
		return
	}
	dir, err := p.open()
	if err != nil {
		return
	}
	defer dir.Close()
	for w.left > 0 {
		list, err := names(dir, 512)
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
		for _, name := range list {
			w.at(place{dir, name}, depth+1)
		}
	}
}
