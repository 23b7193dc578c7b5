package sidecar

import "syscall"

// ownSession detaches a child from the terminal and the process group of its parent.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
