package shim

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Sink takes what a command prints, in the order of each stream, from one goroutine. The bytes are only valid during
// the call. An error ends the reading.
type Sink interface {
	Stdout(p []byte) error
	Stderr(p []byte) error
	// Cut says that bytes were left out at this place of a stream.
	Cut(c Cut) error
}

// Read passes the frames of a "shim run" on to sink until the report, which it returns. It reads nothing behind the
// report and never holds more than MaxFrame bytes. A stream that ends without a report gives a *LostError, one that holds
// anything but frames a *ProtocolError, and a sink's error is returned wrapped.
func Read(r io.Reader, sink Sink) (*Report, error) {
	d := decoder{r: r}
	for {
		kind, payload, err := d.next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case FrameStdout:
			err = sink.Stdout(payload)
		case FrameStderr:
			err = sink.Stderr(payload)
		case FrameCut:
			var c Cut
			if json.Unmarshal(payload, &c) != nil || c.Bytes < 0 || (c.Stream != FrameStdout && c.Stream != FrameStderr) {
				return nil, &ProtocolError{Offset: d.start, Detail: "a cut that cannot be read"}
			}
			err = sink.Cut(c)
		case FrameReport:
			rep := new(Report)
			if e := json.Unmarshal(payload, rep); e != nil {
				return nil, &ProtocolError{Offset: d.start, Detail: "a report that cannot be read: " + e.Error()}
			}
			return rep, nil
		}
		if err != nil {
			return nil, fmt.Errorf("pass a command's output on: %w", err)
		}
	}
}

// decoder cuts a stream into frames.
type decoder struct {
	r     io.Reader
	buf   []byte
	start int64 // offset of the current frame
	off   int64
}

func (d *decoder) next() (kind byte, payload []byte, err error) {
	var h [headerSize]byte
	d.start = d.off
	if err := d.fill(h[:]); err != nil {
		return 0, nil, err
	}
	kind = h[0]
	if kind < FrameStdout || kind > FrameCut {
		return 0, nil, &ProtocolError{Offset: d.start, Detail: fmt.Sprintf("a frame of the unknown kind %d", kind)}
	}
	n := int(binary.BigEndian.Uint32(h[1:]))
	if n > MaxFrame {
		return 0, nil, &ProtocolError{Offset: d.start, Detail: fmt.Sprintf("a frame of %d bytes, more than %d", n, MaxFrame)}
	}
	if n > cap(d.buf) {
		d.buf = make([]byte, n)
	}
	payload = d.buf[:n]
	return kind, payload, d.fill(payload)
}

func (d *decoder) fill(p []byte) error {
	n, err := io.ReadFull(d.r, p)
	d.off += int64(n)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &LostError{Bytes: d.off}
	default:
		return &LostError{Bytes: d.off, Err: err}
	}
}
