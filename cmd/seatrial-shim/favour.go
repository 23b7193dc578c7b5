//go:build linux

package main

import (
	"os"
	"strconv"
	"strings"
)

// favourSelf makes the command that is started next a likelier victim of the memory limit than we are, since without us its
// end would not be reported. The returned function takes that back for ourselves. A process may always make itself
// likelier (proc(5), oom_score_adj), and go back to where it was.
func favourSelf() (restore func()) {
	const file, step, most = "/proc/self/oom_score_adj", 100, 1000
	nothing := func() {}
	old, err := os.ReadFile(file)
	if err != nil {
		return nothing
	}
	now, err := strconv.Atoi(strings.TrimSpace(string(old)))
	if err != nil {
		return nothing
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return nothing
	}
	if _, err := f.WriteString(strconv.Itoa(min(now+step, most))); err != nil {
		_ = f.Close()
		return nothing
	}
	return func() {
		_, _ = f.WriteAt(old, 0) // at worst we are as likely as the command
		_ = f.Close()
	}
}
