// Package oom reads how many processes the kernel's memory limit killed in the control group of this process.
package oom

import (
	"io"
	"os"
	"path"
	"strconv"
	"strings"
)

// Unknown is the count where the kernel does not tell.
const Unknown = -1

// Count returns the number of kills so far, or Unknown. A container sees its own group at the root of /sys/fs/cgroup
// unless it shares the host's cgroup namespace, so the path of /proc/self/cgroup is tried first.
func Count() int64 {
	own := read("/proc/self/cgroup")
	for _, file := range files(own) {
		if n, ok := Parse(read(file)); ok {
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

// files lists where the count may be, best first, given the text of /proc/self/cgroup (cgroups(7)).
func files(own string) []string {
	const v1, v2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
	var list []string
	for line := range strings.Lines(own) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		switch {
		case strings.Contains(","+f[1]+",", ",memory,"):
			list = append(list, path.Join(v1, path.Clean("/"+f[2]), "memory.oom_control"))
		case f[0] == "0":
			list = append(list, path.Join(v2, path.Clean("/"+f[2]), "memory.events"))
		}
	}
	return append(list, path.Join(v2, "memory.events"), path.Join(v1, "memory.oom_control"))
}

// maxFile bounds what is read of a kernel file; the real ones have a few hundred bytes.
const maxFile = 64 << 10

func read(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return ""
	}
	return string(b)
}
