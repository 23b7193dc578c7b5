package shell

import (
	"io"
	"runtime"
)

// maxFrames bounds how deep the parser may be in calls of itself: it calls itself for each bracket within a bracket, and a stack without bounds ends the program.
// Real scripts need about a hundred.
const maxFrames = 3000

// shallow hands a script to the parser in small pieces, and ends it where the parser has gone too deep.
type shallow struct {
	rest []byte
	deep bool
}

// Read implements io.Reader.
func (s *shallow) Read(p []byte) (int, error) {
	const piece = 256
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	var frames [maxFrames]uintptr
	if runtime.Callers(0, frames[:]) == maxFrames {
		s.deep, s.rest = true, nil
		return 0, ErrTooLarge
	}
	n := copy(p[:min(len(p), piece)], s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
