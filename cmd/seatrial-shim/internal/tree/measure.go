//go:build linux

package tree

import "golang.org/x/sys/unix"

// MaxMeasured is how many entries Measure looks at.
const MaxMeasured = 1_000_000

// Measure adds up the sizes of the regular files at and below the absolute path p, and counts everything that is not a
// folder. It stops after MaxMeasured entries, and goes maxDepth folders deep; what it then returns is too little. A
// missing path measures nothing.
func Measure(p string) (bytes, files int64, err error) {
	_, err = walk(p, MaxMeasured, func(st unix.Stat_t) {
		files++
		if st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size > 0 {
			// Sizes of sparse files are up to the command; their sum must not wrap.
			bytes = min(bytes, maxBytes-st.Size) + st.Size
		}
	})
	return bytes, files, err
}

const maxBytes = 1<<63 - 1
