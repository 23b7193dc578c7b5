package sidecar

import (
	"bytes"
	"fmt"
	"os"
)

// startTime is field 22 of /proc/PID/stat (proc_pid_stat(5)), or empty when there is no such process or it is a zombie.
func startTime(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return ""
	}
	f := bytes.Fields(b[i+1:])
	if len(f) < 20 || f[0][0] == 'Z' || f[0][0] == 'X' {
		return ""
	}
	return string(f[19])
}
