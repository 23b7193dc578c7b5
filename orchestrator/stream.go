package orchestrator

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/seatrial/seatrial/sidecar/mask"
)

// StreamFile takes a command's output. It never fails: a full disk must not end the command, so trouble is remembered instead.
type StreamFile struct {
	mu     sync.Mutex
	file   *os.File
	masked io.WriteCloser
	err    error
}

// Write takes everything.
func (s *StreamFile) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.masked.Write(p) // errWriter remembers
	return len(p), nil
}

// Err is the first trouble in writing, or nil.
func (s *StreamFile) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Name is the file's name.
func (s *StreamFile) Name() string { return s.file.Name() }

// Close writes what masking held back, and closes the file.
func (s *StreamFile) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.masked.Close()
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("output file: %w", err)
	}
	return nil
}

// errWriter writes to the stream's file until that fails once.
type errWriter struct{ s *StreamFile }

func (w *errWriter) Write(p []byte) (int, error) {
	if w.s.err == nil {
		_, w.s.err = w.s.file.Write(p)
	}
	return len(p), nil
}

type lazyFile struct {
	dir  *TrialDir
	name string
	m    *mask.Masker
	f    *os.File
	w    io.WriteCloser
	left int64
}

// maxLazy bounds a log that somebody else writes, in bytes.
const maxLazy = 8 << 20

func (l *lazyFile) Write(p []byte) (int, error) {
	if l.f == nil {
		f, err := l.dir.root.OpenFile(l.name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
		if err != nil {
			return len(p), nil //nolint:nilerr // the log is a convenience
		}
		l.f, l.w, l.left = f, l.m.Writer(f), maxLazy
	}
	if n := min(int64(len(p)), l.left); n > 0 {
		_, _ = l.w.Write(p[:n])
		l.left -= n
	}
	return len(p), nil
}

func (l *lazyFile) Close() error {
	if l.f == nil {
		return nil
	}
	_ = l.w.Close()
	if err := l.f.Close(); err != nil {
		return fmt.Errorf("log file: %w", err)
	}
	return nil
}

// tail keeps the last max bytes that are written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
	max int
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// Bytes is what was kept.
func (t *tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf
}
