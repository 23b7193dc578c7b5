package spec

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
)

// Generate gives the id of the new row that is the ordinal-th of this entity, from 1, in a world of this seed. Counters
// count on from last, the largest number that the rows have.
func (e *Entity) Generate(seed int64, server string, ordinal, last int64) any {
	if e.Style == Counter {
		return e.idOf(strconv.FormatInt(last+1, 10))
	}
	stream := newStream(fmt.Sprintf("%d\x00%s\x00%s\x00%d", seed, server, e.Name, ordinal))
	switch e.Style {
	case UUID:
		var b [16]byte
		for i := range b {
			b[i] = stream.next()
		}
		b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
		return e.idOf(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
	case Hex:
		return e.idOf(stream.letters("0123456789abcdef", e.Length))
	case Digits:
		return e.idOf(stream.letters("123456789", 1) + stream.letters("0123456789", e.Length-1))
	case Alnum, Counter:
	}
	return e.idOf(stream.letters("0123456789abcdefghijklmnopqrstuvwxyz", e.Length))
}

func (e *Entity) idOf(text string) any {
	if e.Integer {
		return json.Number(text)
	}
	return e.Prefix + text
}

// Key gives the text that a row with this id is filed under; ids are strings and whole numbers.
func Key(id any) (string, bool) {
	switch id := id.(type) {
	case string:
		return id, id != ""
	case json.Number:
		for _, c := range id {
			if c == '.' || c == 'e' {
				return "", false
			}
		}
		return string(id), true
	}
	return "", false
}

// stream is a row of bytes that depends on its name alone.
type stream struct {
	name  string
	block [sha256.Size]byte
	at, n int
}

func newStream(name string) *stream {
	return &stream{name: name, block: sha256.Sum256([]byte(name))}
}

func (s *stream) next() byte {
	if s.at == len(s.block) {
		s.n++
		s.at = 0
		s.block = sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", s.name, s.n))
	}
	s.at++
	return s.block[s.at-1]
}

// letters gives n letters of an alphabet, each as likely as the others.
func (s *stream) letters(alphabet string, n int) string {
	out := make([]byte, 0, n)
	most := 256 - 256%len(alphabet)
	for len(out) < n {
		if c := int(s.next()); c < most {
			out = append(out, alphabet[c%len(alphabet)])
		}
	}
	return string(out)
}
