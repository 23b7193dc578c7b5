package shim_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/seatrial/seatrial/sidecar/shim"
)

func TestPackedComesBack(t *testing.T) {
	t.Parallel()
	random := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	for name, data := range map[string][]byte{"nothing": {}, "a byte": {7}, "text": bytes.Repeat([]byte("some words "), 100_000), "random bytes": random} {
		var b bytes.Buffer
		w := shim.Packed(&b)
		for part := data; len(part) > 0; {
			n, err := w.Write(part[:min(len(part), 100_003)])
			if err != nil {
				t.Fatal(err)
			}
			part = part[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if b.Len() > len(data)+len(data)/1000+100 {
			t.Errorf("%s: %d bytes are %d when packed", name, len(data), b.Len())
		}
		got, err := io.ReadAll(shim.Unpacked(bytes.NewReader(b.Bytes())))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes came back, %v", name, len(got), err)
		}
	}
}

func FuzzUnpacked(f *testing.F) {
	var b bytes.Buffer
	w := shim.Packed(&b)
	_, _ = w.Write(bytes.Repeat([]byte("some words "), 1000))
	_ = w.Close()
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = io.Copy(io.Discard, io.LimitReader(shim.Unpacked(bytes.NewReader(data)), 64<<20)) // it ends, and does not panic
	})
}
