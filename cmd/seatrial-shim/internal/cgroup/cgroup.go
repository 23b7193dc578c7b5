// Package cgroup finds and reads the kernel's files on the control group of this process.
package cgroup

import (
	"io"
	"os"
	"path"
	"strings"
)

// Own is the text of /proc/self/cgroup.
func Own() string { return Read("/proc/self/cgroup") }

// Files lists where a controller's file may be, best first, given the text of /proc/self/cgroup (cgroups(7)); v1 and v2 are its names in the two versions. A container sees
// its own group at the root of /sys/fs/cgroup unless it shares the host's cgroup namespace, so that the path in the text comes first.
func Files(own, controller, v1, v2 string) []string {
	const root = "/sys/fs/cgroup"
	var list []string
	for line := range strings.Lines(own) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		switch {
		case strings.Contains(","+f[1]+",", ","+controller+","):
			at := path.Clean("/" + f[2])
			list = append(list, path.Join(root, f[1], at, v1), path.Join(root, controller, at, v1), path.Join(root, f[1], v1))
		case f[0] == "0":
			list = append(list, path.Join(root, path.Clean("/"+f[2]), v2))
		}
	}
	return append(list, path.Join(root, v2), path.Join(root, controller, v1))
}

// maxFile bounds what is read of a kernel file; the real ones have a few hundred bytes.
const maxFile = 64 << 10

// Read is a kernel file's text; empty where it cannot be read.
func Read(file string) string {
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
