package main

import (
	"fmt"
	"os"
	"strings"
)

// resident is a process's memory in MB (VmRSS of proc(5), in kB there); 0 when it is gone.
func resident(pid int) float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	var kb float64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return 0
	}
	return kb / 1024
}
