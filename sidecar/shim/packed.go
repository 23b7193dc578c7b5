package shim

import (
	"io"

	"github.com/klauspost/compress/s2"
)

// packBlock is how much is compressed at a time, in bytes. A few times as much is all the memory that it takes: it counts against the container's limit.
const packBlock = 256 << 10

// Packed compresses what the verb "pack" prints, quickly rather than well: it passes through many hands on its way to the host. Unpacked reads it.
func Packed(w io.Writer) io.WriteCloser {
	return s2.NewWriter(w, s2.WriterBlockSize(packBlock), s2.WriterConcurrency(1))
}

// Unpacked reads what Packed wrote. What a stranger wrote instead is an error, and takes no more memory.
func Unpacked(r io.Reader) io.Reader {
	return s2.NewReader(r, s2.ReaderMaxBlockSize(packBlock), s2.ReaderAllocBlock(packBlock))
}
