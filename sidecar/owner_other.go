//go:build !linux

package sidecar

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// startTime asks ps, which every Unix has; empty when there is no such process.
func startTime(pid int) string {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return ""
	}
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output() //nolint:noctx // answers at once
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSpace(string(out)), " ", "_")
}
