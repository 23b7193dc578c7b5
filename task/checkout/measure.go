package checkout

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// SizeError says that a commit is beyond a bound.
type SizeError struct {
	What string
	Most int64
}

// Error names the bound.
func (e *SizeError) Error() string { return fmt.Sprintf("%s more than %d", e.What, e.Most) }

// measure refuses a pack whose objects would be too large, before anything holds one of them in memory. The library inflates no object beyond the size that it declares.
func measure(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	defer f.Close()
	s := packfile.NewScanner(f)
	_, count, err := s.Header()
	if err != nil {
		return fmt.Errorf("what the server sent: %w", err)
	}
	const most = 20_000_000
	if count > most {
		return &SizeError{"the server sends objects:", most}
	}
	var total int64
	for range count {
		size, err := next(s)
		if err != nil {
			return err
		}
		if total += size; total > maxTotal {
			return &SizeError{"the objects have in bytes", maxTotal}
		}
	}
	return nil
}

// next is the size of a pack's next object, which for a delta is that of what it makes.
func next(s *packfile.Scanner) (int64, error) {
	h, err := s.NextObjectHeader()
	if err != nil {
		return 0, fmt.Errorf("what the server sent: %w", err)
	}
	size, head := h.Length, &prefix{}
	if size < 0 || size > maxObject {
		return 0, &SizeError{"an object has in bytes", maxObject}
	}
	if _, _, err := s.NextObject(head); err != nil {
		return 0, fmt.Errorf("what the server sent: %w", err)
	}
	if h.Type != plumbing.OFSDeltaObject && h.Type != plumbing.REFDeltaObject {
		return size, nil
	}
	for range 2 { // the size of what it is made from, and that of what it makes
		n, err := binary.ReadUvarint(&head.Buffer)
		if err != nil || n > maxObject {
			return 0, &SizeError{"an object has in bytes", maxObject}
		}
		size = int64(n)
	}
	return max(size, h.Length), nil
}

// prefix keeps the first bytes that are written to it.
type prefix struct{ bytes.Buffer }

func (p *prefix) Write(data []byte) (int, error) {
	const most = 2 * binary.MaxVarintLen64
	if room := most - p.Len(); room > 0 {
		p.Buffer.Write(data[:min(room, len(data))])
	}
	return len(data), nil
}
