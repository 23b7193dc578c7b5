//go:build linux

package main

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// drain reads the given pipes to their ends and throws away what comes, so that processes which outlive their command
// neither block nor get SIGPIPE when they print.
func drain(args []string) int {
	settle(1)
	var fds []unix.PollFd
	for _, a := range args {
		fd, err := strconv.Atoi(a)
		if err != nil {
			return usage()
		}
		fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	const size = 32 << 10
	buf := make([]byte, size)
	for len(fds) > 0 {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return exitGone
		}
		open := fds[:0]
		for _, f := range fds {
			if f.Revents == 0 || !ended(int(f.Fd), buf) {
				f.Revents = 0
				open = append(open, f)
			}
		}
		fds = open
	}
	return 0
}

// ended reads once and says whether nothing will come any more.
func ended(fd int, buf []byte) bool {
	n, err := unix.Read(fd, buf)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return false
	}
	return n <= 0 || err != nil
}

// leaveDrain starts a drain for the pipes in a session of its own.
func leaveDrain(pipes []uintptr) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	argv := []string{"seatrial-shim", "drain"}
	files := []uintptr{null.Fd(), null.Fd(), null.Fd()}
	for _, p := range pipes {
		argv = append(argv, strconv.Itoa(len(files)))
		files = append(files, p)
	}
	_, err = syscall.ForkExec("/proc/self/exe", argv, &syscall.ProcAttr{
		Dir: "/", Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	return err
}
