//go:build linux

package main

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/stream"
)

// pump passes on what comes out of one of the command's streams.
type pump struct {
	file *os.File
	conn syscall.RawConn
	to   *stream.Stream
	buf  []byte
	eof  bool // for others only when run is not running
	late bool // run ended although something still came; like eof
	done chan struct{}

	mu    sync.Mutex
	pause time.Duration
	end   time.Time // zero until the command has ended
}

// newPump returns a pump and the pipe's end that the command writes to.
func newPump(to *stream.Stream) (*pump, *os.File, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	// The reading end alone: programs do not expect their standard output to be non-blocking.
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, err
	}
	const size = 32 << 10
	p := &pump{file: os.NewFile(uintptr(fds[0]), "pipe"), to: to, buf: make([]byte, size)}
	var err error
	p.conn, err = p.file.SyscallConn()
	return p, os.NewFile(uintptr(fds[1]), "pipe"), err
}

// begin starts run; done is closed at its end.
func (p *pump) begin() {
	done := make(chan struct{})
	p.done = done
	go func() {
		defer close(done)
		p.run()
	}()
}

// run passes on until the stream's end, or the deadline that finishBy sets.
func (p *pump) run() {
	for {
		n, err := p.read()
		if n > 0 {
			if _, werr := p.to.Write(p.buf[:n]); werr != nil {
				return
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.late = p.pastEnd()
			p.sweep()
			return
		}
		if err != nil {
			return
		}
		p.extend()
	}
}

// sweep takes what is in the pipe at this moment and no more. When a slow reader of ours has used up the time, the last words of the
// command are still in there.
func (p *pump) sweep() {
	left := 0
	_ = p.conn.Control(func(fd uintptr) { left, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }) // an error leaves 0
	for left > 0 {
		n := 0
		_ = p.conn.Control(func(fd uintptr) { n, _ = unix.Read(int(fd), p.buf[:min(left, len(p.buf))]) })
		if n <= 0 {
			return
		}
		if _, err := p.to.Write(p.buf[:n]); err != nil {
			return
		}
		left -= n
	}
}

func (p *pump) pastEnd() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !time.Now().Before(p.end)
}

// read takes all that is in the pipe, up to the buffer's size, and waits only if it is empty.
func (p *pump) read() (n int, err error) {
	rerr := p.conn.Read(func(fd uintptr) bool {
		for n < len(p.buf) {
			m, err := unix.Read(int(fd), p.buf[n:])
			switch {
			case errors.Is(err, unix.EINTR):
			case errors.Is(err, unix.EAGAIN):
				return n > 0
			case err != nil || m == 0:
				p.eof = true
				return true
			default:
				n += m
			}
		}
		return true
	})
	if p.eof {
		return n, os.ErrClosed
	}
	return n, rerr
}

// again starts those pumps anew whose streams have not ended.
func (j *job) again() {
	for _, p := range j.pumps {
		if !p.eof {
			p.finishBy(lastWords, drainLimit)
			p.begin()
		}
	}
}

// finishBy lets run end once nothing has come for pause, or after limit.
func (p *pump) finishBy(pause, limit time.Duration) {
	p.mu.Lock()
	p.pause, p.end = pause, time.Now().Add(limit)
	p.mu.Unlock()
	p.extend()
}

func (p *pump) extend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end.IsZero() {
		return
	}
	next := time.Now().Add(p.pause)
	if next.After(p.end) {
		next = p.end
	}
	_ = p.file.SetReadDeadline(next) // pipes take deadlines
}

// drain waits until all pumps have passed on what is there: to the end of the stream, or until nothing has come for pause. It says
// whether that was within drainLimit.
func (j *job) drain(pause time.Duration) bool {
	ok := true
	for _, p := range j.pumps {
		p.finishBy(pause, drainLimit)
	}
	for _, p := range j.pumps {
		<-p.done
		ok = ok && !p.late
	}
	return ok
}

func (p *pump) close() {
	_ = p.to.Close()   // an error is also seen by the output
	_ = p.file.Close() // it was only read
}
