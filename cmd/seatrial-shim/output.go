//go:build linux

package main

import (
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

// output is our own standard output. When a write fails nobody is there any more to want the command's work.
type output struct {
	fd   int
	once sync.Once
	gone chan struct{} // closed after the first error
}

func newOutput(fd int) *output { return &output{fd: fd, gone: make(chan struct{})} }

func (o *output) lost() bool {
	select {
	case <-o.gone:
		return true
	default:
		return false
	}
}

var errGone = errors.New("nobody reads the output any more")

// Write writes all of p; it waits for as long as the reader does.
func (o *output) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		if o.lost() {
			return written, errGone
		}
		n, err := unix.Write(o.fd, p[written:])
		switch {
		case err == nil:
			written += n
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(o.fd), Events: unix.POLLOUT}}, -1)
		default:
			o.once.Do(func() { close(o.gone) })
			return written, err
		}
	}
	return written, nil
}
