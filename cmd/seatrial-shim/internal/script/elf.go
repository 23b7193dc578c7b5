//go:build linux

package script

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// Program is what an ELF header tells (elf(5)).
type Program struct {
	Machine uint16
	Bits    int // 32 or 64
	// Loader is the path of the dynamic loader, empty for a static program.
	Loader string
}

// HeadSize is how much of a program ParseELF wants to see; the loader's name stands near the beginning.
const HeadSize = 16 << 10

// ParseELF reads the first bytes of a program; ok is false where they are none.
func ParseELF(b []byte) (p Program, ok bool) {
	const identSize = 16
	if len(b) < identSize+4 || !bytes.HasPrefix(b, []byte("\x7fELF")) {
		return p, false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[5] == 2 {
		order = binary.BigEndian
	}
	p.Machine = order.Uint16(b[18:])
	p.Bits = 64
	l := layout{word: 8, phoff: 32, phsize: 54, phnum: 56, offset: 8, filesz: 32}
	if b[4] == 1 {
		p.Bits = 32
		l = layout{word: 4, phoff: 28, phsize: 42, phnum: 44, offset: 4, filesz: 16}
	}
	p.Loader = l.loader(b, order)
	return p, true
}

// layout holds the offsets of the header's fields for a word size.
type layout struct {
	word                 int
	phoff, phsize, phnum uint64
	offset, filesz       uint64 // within a program header
}

func (l layout) loader(b []byte, order binary.ByteOrder) string {
	const ptInterp, maxHeaders, maxPath = 3, 128, 4096
	at := l.read(b, l.phoff, order)
	size := uint64(half(b, l.phsize, order))
	for range min(half(b, l.phnum, order), maxHeaders) {
		if at > uint64(len(b)) || len(b)-int(at) < 4 {
			return ""
		}
		if order.Uint32(b[at:]) == ptInterp {
			from, n := l.read(b, at+l.offset, order), l.read(b, at+l.filesz, order)
			if n == 0 || n > maxPath || from > uint64(len(b)) || n > uint64(len(b))-from {
				return ""
			}
			name, _, _ := bytes.Cut(b[from:from+n], []byte{0})
			return string(name)
		}
		at += size
	}
	return ""
}

func (l layout) read(b []byte, at uint64, order binary.ByteOrder) uint64 {
	if at > uint64(len(b)) || uint64(len(b))-at < uint64(l.word) {
		return 0
	}
	if l.word == 4 {
		return uint64(order.Uint32(b[at:]))
	}
	return order.Uint64(b[at:])
}

func half(b []byte, at uint64, order binary.ByteOrder) uint16 {
	if at+2 > uint64(len(b)) {
		return 0
	}
	return order.Uint16(b[at:])
}

// MachineName names an ELF machine in Go's spelling, as far as containers commonly have it.
func MachineName(m uint16) string {
	switch m {
	case 3:
		return "386"
	case 40:
		return "arm"
	case 62:
		return "amd64"
	case 183:
		return "arm64"
	case 243:
		return "riscv64"
	case 22:
		return "s390x"
	case 21:
		return "ppc64le"
	default:
		return "machine " + strconv.Itoa(int(m))
	}
}
