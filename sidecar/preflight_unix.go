//go:build linux || darwin

package sidecar

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// statFree is the space in bytes that an unprivileged user has on the disk of an existing path.
func statFree(path string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, fmt.Errorf("measure free space at %s: %w", path, err)
	}
	free := float64(st.Bavail) * float64(st.Bsize) // a full product may not fit
	if free >= math.MaxInt64 {
		return math.MaxInt64, nil
	}
	return int64(free), nil
}
