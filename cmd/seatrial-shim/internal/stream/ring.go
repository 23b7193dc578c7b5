// Package stream passes on what a command prints within bounds: the beginning as it comes, and at the end the last part.
package stream

// ring holds the last max bytes of what was written to it. It grows with what is written, so a quiet stream costs nothing.
type ring struct {
	max   int
	buf   []byte
	start int // index of the oldest byte once the ring is full
}

func (r *ring) write(p []byte) {
	if len(p) >= r.max {
		r.buf = append(r.buf[:0], p[len(p)-r.max:]...)
		r.start = 0
		return
	}
	room := min(r.max-len(r.buf), len(p))
	r.buf = append(r.buf, p[:room]...)
	for p = p[room:]; len(p) > 0; {
		n := copy(r.buf[r.start:], p)
		p = p[n:]
		r.start = (r.start + n) % r.max
	}
}

// parts returns the content in order, as two slices.
func (r *ring) parts() (older, newer []byte) { return r.buf[r.start:], r.buf[:r.start] }

func (r *ring) len() int64 { return int64(len(r.buf)) }
