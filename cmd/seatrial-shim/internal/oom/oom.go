// Package oom reads how many processes the kernel's memory limit killed in the control group of this process.
package oom

import (
	"strconv"
	"strings"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/cgroup"
)

// Unknown is the count where the kernel does not tell.
const Unknown = -1

// Count returns the number of kills so far, or Unknown.
func Count() int64 {
	for _, file := range cgroup.Files(cgroup.Own(), "memory", "memory.oom_control", "memory.events") {
		if n, ok := Parse(cgroup.Read(file)); ok {
			return n
		}
	}
	return Unknown
}

// Since returns how many kills came between two counts, or Unknown.
func Since(before, after int64) int64 {
	if before < 0 || after < before {
		return Unknown
	}
	return after - before
}

// Parse finds the line "oom_kill N" in a memory.events (cgroup v2) or memory.oom_control (v1, since Linux 4.13).
func Parse(text string) (int64, bool) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "oom_kill" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
