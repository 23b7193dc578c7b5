// Package mask replaces known secret values in text and in byte streams. It is pure: it opens nothing and keeps nothing
// but the values that it was given.
package mask

import (
	"bytes"
	"strings"
)

// Mark is what stands in the place of a secret.
const Mark = "[masked]"

// Shortest is the length in bytes below which a secret is not looked for, since a shorter one would be found everywhere.
const Shortest = 4

// Masker finds the secrets that it was made with. It is read-only after NewMasker, so many goroutines may share one.
type Masker struct {
	byStart map[[Shortest]byte][][]byte // longest first
	pairs   [1 << 16 / 64]uint64        // which first two bytes occur
	all     [][]byte                    // longest first
}

// NewMasker makes a masker for secrets, each as it is and in its usual disguises: base64 (standard and URL alphabet,
// padded or not), URL-encoded and JSON-escaped. Secrets shorter than Shortest are left out.
func NewMasker(secrets []string) *Masker {
	m := &Masker{byStart: map[[Shortest]byte][][]byte{}}
	for _, n := range needles(secrets) {
		m.all = append(m.all, n)
		start := [Shortest]byte(n[:Shortest])
		m.byStart[start] = append(m.byStart[start], n)
		m.setPair(n[0], n[1])
	}
	return m
}

// Any says whether there is anything to look for.
func (m *Masker) Any() bool { return m != nil && len(m.all) > 0 }

// String returns s with every secret replaced by Mark. Secrets that overlap share one Mark.
func (m *Masker) String(s string) string {
	if m == nil || len(m.all) == 0 {
		return s
	}
	var out strings.Builder
	sc := scanner{m: m}
	out.Write(sc.feed([]byte(s)))
	out.Write(sc.finish())
	return out.String()
}

// match gives the length of the longest secret that buf starts with, and whether a longer one could still turn up
// once more bytes are known.
func (m *Masker) match(buf []byte) (length int, undecided bool) {
	if len(buf) < Shortest {
		return 0, m.mayStart(m.all, buf)
	}
	if !m.hasPair(buf[0], buf[1]) {
		return 0, false
	}
	group := m.byStart[[Shortest]byte(buf[:Shortest])]
	for _, n := range group {
		if bytes.HasPrefix(buf, n) {
			length = len(n)
			break
		}
	}
	return length, m.mayStart(group, buf)
}

// mayStart tells whether one of group is longer than buf and begins with all of it.
func (m *Masker) mayStart(group [][]byte, buf []byte) bool {
	for _, n := range group {
		if len(n) <= len(buf) {
			return false
		}
		if bytes.HasPrefix(n, buf) {
			return true
		}
	}
	return false
}

func (m *Masker) setPair(a, b byte) {
	i := uint(a)<<8 | uint(b)
	m.pairs[i/64] |= 1 << (i % 64)
}

func (m *Masker) hasPair(a, b byte) bool {
	i := uint(a)<<8 | uint(b)
	return m.pairs[i/64]&(1<<(i%64)) != 0
}
