package checkout_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seatrial/seatrial/task/checkout"
)

// pack is a pack with one object, without its checksum.
func pack(kind byte, declared uint64, extra, content []byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), 1)
	first := kind<<4 | byte(declared&15)
	for declared >>= 4; declared > 0; declared >>= 7 {
		b = append(b, first|0x80)
		first = byte(declared & 0x7f)
	}
	b = append(append(b, first), extra...)
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(content)
	_ = w.Close()
	return append(b, z.Bytes()...)
}

func measured(t *testing.T, data []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pack")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return checkout.Measure(path)
}

func TestPacksBeyondTheBounds(t *testing.T) {
	huge := binary.AppendUvarint(binary.AppendUvarint(nil, 10), 1<<40)
	for _, c := range []struct {
		name string
		data []byte
		size bool // the error is a *SizeError
		ok   bool
	}{
		{"a small object", pack(3, 5, nil, []byte("hello")), false, true},
		{"an object that says it is huge", pack(3, 1<<40, nil, nil), true, false},
		{"an object that is more than it says", pack(3, 5, nil, make([]byte, 1<<20)), false, false},
		{"a delta that makes something huge", pack(7, uint64(len(huge)), make([]byte, 20), huge), true, false},
		{"a delta without its sizes", pack(7, 0, make([]byte, 20), nil), true, false},
		{"more objects than anyone has", []byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), true, false},
		{"no pack", []byte("hello"), false, false},
		{"nothing", nil, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := measured(t, c.data)
			var size *checkout.SizeError
			if (err == nil) != c.ok || errors.As(err, &size) != c.size {
				t.Errorf("%v", err)
			}
		})
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add(pack(3, 5, nil, []byte("hello")))
	f.Add(pack(7, 4, make([]byte, 20), []byte{10, 5, 1, 2}))
	f.Add(pack(6, 4, []byte{1}, []byte{10, 5, 1, 2}))
	f.Fuzz(func(t *testing.T, data []byte) { _ = measured(t, data) })
}
