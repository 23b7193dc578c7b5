package shim

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Frame kinds. The helper writes frames to its own standard output: one kind byte, a big-endian uint32 length, the payload.
// FrameCut stands between head and tail of a cut stream; its payload is the JSON of a Cut.
const (
	FrameStdout byte = 1
	FrameStderr byte = 2
	FrameReport byte = 3 // JSON of a Report; always the last frame
	FrameCut    byte = 4
)

// MaxFrame is the largest payload of a frame in bytes.
const MaxFrame = 1 << 20

// headerSize is the kind byte and the length.
const headerSize = 5

// Cut says how many bytes of a stream were left out at this place.
type Cut struct {
	Stream byte  `json:"stream"` // FrameStdout or FrameStderr
	Bytes  int64 `json:"bytes"`
}

// Writer writes frames, each with one call of the writer below it. It may be used by several goroutines at once.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Frame writes payload as frames of the kind; a payload over MaxFrame becomes several.
// It returns the error of the writer below.
func (w *Writer) Frame(kind byte, payload []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		part := payload[:min(len(payload), MaxFrame)]
		payload = payload[len(part):]
		w.buf = append(w.buf[:0], kind)
		w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(len(part)))
		w.buf = append(w.buf, part...)
		if _, err := w.w.Write(w.buf); err != nil {
			return fmt.Errorf("write a frame: %w", err)
		}
		if len(payload) == 0 {
			return nil
		}
	}
}

// Cut writes a FrameCut.
func (w *Writer) Cut(c Cut) error { return w.json(FrameCut, c) }

// Report writes the FrameReport, after which nothing more may be written.
func (w *Writer) Report(r *Report) error { return w.json(FrameReport, r) }

func (w *Writer) json(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	return w.Frame(kind, b)
}
