package terminal

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// lookEvery is how soon a read that waits ends when its input is closed.
const lookEvery = 100 * time.Millisecond

// Input reads from r, and is closed without r being closed: a read that waits for a file then ends with io.EOF, and takes nothing from it. Where
// files cannot be waited for, or r is none, a read that waits goes on.
func Input(r io.Reader) io.ReadCloser {
	if f, ok := r.(*os.File); ok {
		return &input{f: f}
	}
	return io.NopCloser(r)
}

type input struct {
	f      *os.File
	closed atomic.Bool
}

// Read implements io.Reader.
func (i *input) Read(p []byte) (int, error) {
	for !i.closed.Load() {
		ready, err := readable(i.f, lookEvery)
		if err != nil {
			return 0, fmt.Errorf("wait for input: %w", err)
		}
		if ready && !i.closed.Load() {
			return i.f.Read(p) //nolint:wrapcheck // a reader hands errors on
		}
	}
	return 0, io.EOF
}

// Close implements io.Closer.
func (i *input) Close() error {
	i.closed.Store(true)
	return nil
}
