//go:build linux

package tree

import (
	"time"

	"golang.org/x/sys/unix"
)

// MaxChanged is how many entries Changed looks at.
const MaxChanged = 100_000

// Changed counts the files at and below the absolute path p that were made or changed since a moment, by their change times, which a command
// cannot set back. all says whether it saw every file: it stops after MaxChanged entries. A missing path has nothing that changed.
func Changed(p string, since time.Time) (count int64, all bool, err error) {
	all, err = walk(p, MaxChanged, func(st unix.Stat_t) {
		if !time.Unix(st.Ctim.Unix()).Before(since) {
			count++
		}
	})
	return count, all, err
}
