package archive

import (
	"bytes"
	"errors"
	"io"
)

const block = 512

// source bounds an archive's length and notices when it ends without its end mark, which is a block of zeros. A reader
// of tar takes an archive that is cut between two entries for a complete one.
type source struct {
	r     io.Reader
	left  int64
	limit int64
	tail  [block]byte // the last bytes read
	have  int         // how many of tail are filled
	ended bool
}

// Read reads from the stream below, and gives *LimitError when its limit is used up.
func (s *source) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, &LimitError{Limit: s.limit}
	}
	n, err := s.r.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	s.keep(p[:n])
	if n == 0 && errors.Is(err, io.EOF) {
		s.ended = true
	}
	return n, err //nolint:wrapcheck // A reader hands on the error of the one below as it is.
}

func (s *source) keep(p []byte) {
	if len(p) >= block {
		copy(s.tail[:], p[len(p)-block:])
		s.have = block
		return
	}
	copy(s.tail[:], s.tail[len(p):])
	copy(s.tail[block-len(p):], p)
	s.have = min(block, s.have+len(p))
}

// cut tells whether the stream ended before an end mark was seen.
func (s *source) cut() bool {
	return s.ended && (s.have < block || len(bytes.Trim(s.tail[:], "\x00")) > 0)
}
