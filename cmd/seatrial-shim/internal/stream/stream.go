package stream

import (
	"fmt"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// Out takes frames; *shim.Writer is one.
type Out interface {
	Frame(kind byte, payload []byte) error
	Cut(c shim.Cut) error
}

// Stream passes one output stream on to Out. It is for one goroutine at a time.
type Stream struct {
	out     Out
	kind    byte
	bounded bool
	head    int64 // how much of the head is still free
	tail    ring
	total   int64
	passed  int64
}

// New returns a Stream of frames of the kind that passes on the first head and the last tail bytes; both 0 mean everything.
func New(out Out, kind byte, head, tail int64) *Stream {
	return &Stream{out: out, kind: kind, bounded: head > 0 || tail > 0, head: max(head, 0), tail: ring{max: int(max(tail, 0))}}
}

// Write passes p on, or keeps it, or drops it. It returns the error of Out.
func (s *Stream) Write(p []byte) (int, error) {
	s.total += int64(len(p))
	now := p
	if s.bounded {
		now = p[:min(int64(len(p)), s.head)]
		s.head -= int64(len(now))
		s.tail.write(p[len(now):])
	}
	if err := s.pass(now); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes the tail on, behind a Cut if anything was left out. It returns the error of Out.
func (s *Stream) Close() error {
	if cut := s.total - s.passed - s.tail.len(); cut > 0 {
		if err := s.out.Cut(shim.Cut{Stream: s.kind, Bytes: cut}); err != nil {
			return fmt.Errorf("pass a cut on: %w", err)
		}
	}
	older, newer := s.tail.parts()
	s.tail = ring{}
	if err := s.pass(older); err != nil {
		return err
	}
	return s.pass(newer)
}

// Report counts what came and what was left out, once the stream is closed.
func (s *Stream) Report() shim.StreamReport {
	return shim.StreamReport{Bytes: s.total, Cut: s.total - s.passed}
}

// frameSize bounds the copy that a frame costs.
const frameSize = 64 << 10

func (s *Stream) pass(p []byte) error {
	for len(p) > 0 {
		part := p[:min(len(p), frameSize)]
		if err := s.out.Frame(s.kind, part); err != nil {
			return fmt.Errorf("pass output on: %w", err)
		}
		s.passed += int64(len(part))
		p = p[len(part):]
	}
	return nil
}
