package feed

import (
	"io"
	"io/fs"
	"os"
)

// File is where a stream goes: a file that is written anew or, with more, from its end on. What keeps it from being written is found now; only a named pipe is
// opened when the stream begins, beside the run, since that waits for a reader.
func File(path string, more bool) (start func() (io.WriteCloser, error), err error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if more {
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	open := func() (io.WriteCloser, error) {
		f, err := os.OpenFile(path, flags, 0o644)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the file
		}
		return f, nil
	}
	if st, err := os.Stat(path); err == nil && st.Mode()&fs.ModeNamedPipe != 0 {
		return open, nil
	}
	f, err := open()
	return func() (io.WriteCloser, error) { return f, nil }, err
}

// To is a stream that goes to a writer, which it leaves open.
func To(w io.Writer) func() (io.WriteCloser, error) {
	return func() (io.WriteCloser, error) { return left{w}, nil }
}

type left struct{ io.Writer }

func (left) Close() error { return nil }
