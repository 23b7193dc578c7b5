package mask

import (
	"errors"
	"io"
)

// scanner masks a stream piece by piece. Its result does not depend on how the stream is cut into pieces: it holds back
// only bytes that may turn out to be the start of a secret, so never more than the longest one.
type scanner struct {
	m    *Masker
	held []byte
	// covered counts the bytes at the start of held that belong to a secret whose mark is already written.
	covered int
}

func (s *scanner) feed(p []byte) []byte {
	s.held = append(s.held, p...)
	return s.drain(false)
}

func (s *scanner) finish() []byte {
	return s.drain(true)
}

func (s *scanner) drain(final bool) []byte {
	out := make([]byte, 0, len(s.held))
	i := 0
	for i < len(s.held) {
		length, undecided := s.m.match(s.held[i:])
		if undecided && !final {
			break
		}
		if length > 0 {
			if s.covered == 0 {
				out = append(out, Mark...)
			}
			s.covered = max(s.covered, length)
		}
		if s.covered > 0 {
			s.covered--
		} else {
			out = append(out, s.held[i])
		}
		i++
	}
	s.held = append(s.held[:0], s.held[i:]...)
	return out
}

// Writer returns a writer that passes on to w what is written to it, masked. Close must be called for the last bytes
// to arrive; it does not close w. Nothing is held back but a possible start of a secret.
func (m *Masker) Writer(w io.Writer) io.WriteCloser {
	if m == nil {
		m = NewMasker(nil)
	}
	return &writer{w: w, sc: scanner{m: m}}
}

type writer struct {
	w  io.Writer
	sc scanner
}

// Write takes all of p or fails with the error of the writer below.
func (w *writer) Write(p []byte) (int, error) {
	if err := w.pass(w.sc.feed(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on what was held back.
func (w *writer) Close() error {
	return w.pass(w.sc.finish())
}

func (w *writer) pass(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := w.w.Write(p)
	return err //nolint:wrapcheck // A writer hands on the error of the one below as it is.
}

// Reader returns a reader of what r gives, masked. It reads r in pieces of 32 KiB.
func (m *Masker) Reader(r io.Reader) io.Reader {
	if m == nil {
		m = NewMasker(nil)
	}
	return &reader{r: r, sc: scanner{m: m}, in: make([]byte, 32<<10)}
}

type reader struct {
	r   io.Reader
	sc  scanner
	in  []byte
	out []byte
	err error
}

// Read gives masked bytes, and the error of the reader below after the last of them.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		n, err := r.r.Read(r.in)
		r.out = r.sc.feed(r.in[:n])
		if err != nil {
			r.err = err
			// A break in the middle may have cut a secret in two; its start is then better lost than shown.
			if errors.Is(err, io.EOF) {
				r.out = append(r.out, r.sc.finish()...)
			}
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}
