package difftrial

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
)

// around is how many lines are shown before and after the first one that is not the same.
const around = 3

// First is the first place at which two files are not the same. Its texts are lines as visible writes them, cut where they are long.
type First struct {
	Line   int64 `json:"line"`   // counts from 1
	Column int64 `json:"column"` // counts bytes from 1
	Offset int64 `json:"offset"` // in bytes, from 0
	// Before are the lines before it, which are the same in both.
	Before []string `json:"before"`
	// Old and New are the line itself and some that follow; none = the file ends here.
	Old []string `json:"old"`
	New []string `json:"new"`
}

// place is how far two files are the same.
type place struct {
	same   bool // they are the same to their end
	cut    bool // they are the same as far as they were read
	offset int64
	line   int64             // newlines before offset
	starts [around + 1]int64 // of the last lines that began up to offset, the oldest first; -1 = there are not so many
	read   int64             // bytes of each file
}

// part compares two files until they are not the same, or most bytes have been read of each. It holds little of them at a time.
func part(ctx context.Context, was, now io.Reader, most int64) (place, error) {
	const size = 128 << 10
	p := place{starts: [around + 1]int64{-1, -1, -1, 0}}
	x, y := make([]byte, size), make([]byte, size)
	for {
		if ctx.Err() != nil {
			return p, context.Cause(ctx)
		}
		want := min(size, most-p.offset)
		if want <= 0 {
			p.cut = true
			return p, nil
		}
		a, errA := fill(was, x[:want])
		b, errB := fill(now, y[:want])
		if err := errors.Join(errA, errB); err != nil {
			return p, err
		}
		n := common(a, b)
		p.advance(a[:n])
		p.read += int64(max(len(a), len(b)))
		switch {
		case n < len(a) || n < len(b):
			return p, nil
		case int64(n) < want:
			p.same = true
			return p, nil
		}
	}
}

// fill reads until a buffer is full or the file ends.
func fill(r io.Reader, into []byte) ([]byte, error) {
	n, err := io.ReadFull(r, into)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return into[:n], err
}

// common is how many bytes two texts have in common at their beginning.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	if bytes.Equal(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// advance takes text that is the same in both.
func (p *place) advance(text []byte) {
	p.line += int64(bytes.Count(text, []byte{'\n'}))
	var last [around + 1]int64
	found, end := 0, len(text)
	for found < len(last) {
		i := bytes.LastIndexByte(text[:end], '\n')
		if i < 0 {
			break
		}
		last[len(last)-1-found] = p.offset + int64(i) + 1
		found, end = found+1, i
	}
	copy(last[:len(last)-found], p.starts[found:])
	p.starts = last
	p.offset += int64(len(text))
}

// first shows the place at which two files cease to be the same.
func (p *place) first(was, now *os.File) *First {
	start := p.starts[around]
	f := &First{Line: p.line + 1, Column: p.offset - start + 1, Offset: p.offset, Before: []string{}, Old: lines(was, start, p.offset), New: lines(now, start, p.offset)}
	for i, s := range p.starts[:around] {
		if s >= 0 {
			f.Before = append(f.Before, shownLine(was, s, p.starts[i+1]-1-s))
		}
	}
	return f
}

// shownLine is a whole line of some length, from its beginning.
func shownLine(f io.ReaderAt, at, length int64) string {
	data := readAt(f, at, min(length, maxShown+4))
	return window(data, 0, int64(len(data)) < length)
}

// noNewline follows a last line that has no newline, as in diff(1).
const noNewline = `\ No newline at end of file`

// lines are the line that begins at start, as far as it can be seen around offset, and some that follow; none where the file ends at start.
func lines(f io.ReaderAt, start, offset int64) []string {
	const reach = 16 << 10
	from := max(start, offset-maxShown)
	data := readAt(f, from, reach)
	more, at, out := len(data) == reach, int(offset-from), []string{}
	for len(data) > 0 && len(out) <= around {
		line, rest, ends := bytes.Cut(data, []byte{'\n'})
		out = append(out, window(line, at, !ends && more))
		if !ends && !more {
			return append(out, noNewline)
		}
		data, at = rest, 0
	}
	return out
}

func readAt(f io.ReaderAt, at, n int64) []byte {
	buf := make([]byte, n)
	got, _ := f.ReadAt(buf, at) // what can be read is what there is to show
	return buf[:got]
}
