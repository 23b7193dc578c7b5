//go:build linux

package tree

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// MaxChanged is how many entries Changed looks at.
const MaxChanged = 100_000

// Changed counts the files at and below the absolute path p that were made or changed since a moment, by their change times, which a command
// cannot set back. It stops after MaxChanged entries; all says whether it saw every one. A missing path has nothing that changed.
func Changed(p string, since time.Time) (count int64, all bool, err error) {
	at, err := locate(p)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, true, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer at.close()
	c := changes{since: since, left: MaxChanged}
	c.add(at, 0)
	return c.count, c.left > 0, nil
}

type changes struct {
	since time.Time
	count int64
	left  int64
}

func (c *changes) add(p place, depth int) {
	if c.left--; c.left < 0 {
		return
	}
	st, err := p.stat()
	if err != nil {
		return // it has just gone
	}
	if !isDir(st) {
		if !time.Unix(st.Ctim.Unix()).Before(c.since) {
			c.count++
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
	for c.left > 0 {
		list, err := names(dir, 512)
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
		for _, name := range list {
			c.add(place{dir, name}, depth+1)
		}
	}
}
