package shim_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// record notes what a sink gets.
type record struct {
	strings.Builder
	fail error
}

func (r *record) Stdout(p []byte) error { fmt.Fprintf(r, "o:%s ", p); return r.fail }
func (r *record) Stderr(p []byte) error { fmt.Fprintf(r, "e:%s ", p); return r.fail }
func (r *record) Cut(c shim.Cut) error {
	fmt.Fprintf(r, "cut:%d:%d ", c.Stream, c.Bytes)
	return r.fail
}

// sample is a stream as the helper writes it.
func sample(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := shim.NewWriter(&b)
	for _, err := range []error{
		w.Frame(shim.FrameStdout, []byte("ä")), w.Frame(shim.FrameStderr, []byte("err")), w.Frame(shim.FrameStdout, nil),
		w.Cut(shim.Cut{Stream: shim.FrameStdout, Bytes: 7}), w.Frame(shim.FrameStdout, []byte("end")),
		w.Report(&shim.Report{Exit: 3, Limit: "kill", OOMKills: -1}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "end with data": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got record
			rep, err := shim.Read(wrap(bytes.NewReader(sample(t))), &got)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff("o:ä e:err o: cut:1:7 o:end ", got.String()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if d := cmp.Diff(&shim.Report{Exit: 3, Limit: "kill", OOMKills: -1}, rep); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestReadLost(t *testing.T) {
	t.Parallel()
	whole := sample(t)
	for n := range len(whole) {
		rep, err := shim.Read(bytes.NewReader(whole[:n]), new(record))
		lost := new(shim.LostError)
		if rep != nil || !errors.As(err, &lost) || lost.Bytes != int64(n) || lost.Err != nil {
			t.Fatalf("cut at %d: %+v, %v", n, rep, err)
		}
	}
	broken := errors.New("broken")
	_, err := shim.Read(io.MultiReader(bytes.NewReader(whole[:20]), iotest.ErrReader(broken)), new(record))
	if lost := new(shim.LostError); !errors.As(err, &lost) || !errors.Is(err, broken) {
		t.Errorf("a broken connection: %v", err)
	}
}

func TestReadGarbage(t *testing.T) {
	t.Parallel()
	good := "\x01\x00\x00\x00\x02hi"
	for _, c := range []struct{ name, text string }{
		{"text", "sh: not found\n"},
		{"an unknown kind", "\x05\x00\x00\x00\x00"},
		{"a frame that is too long", "\x01\x00\x10\x00\x01"},
		{"a report that is no JSON", "\x03\x00\x00\x00\x01{"},
		{"a cut that is no JSON", "\x04\x00\x00\x00\x01{"},
		{"a cut of no stream", "\x04\x00\x00\x00\x0b{\"bytes\":1}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := shim.Read(strings.NewReader(good+c.text), new(record))
			if broken := new(shim.ProtocolError); !errors.As(err, &broken) || broken.Offset != int64(len(good)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestReadSinkFails(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	if _, err := shim.Read(bytes.NewReader(sample(t)), &record{fail: full}); !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestReadStopsAtTheReport(t *testing.T) {
	t.Parallel()
	r := strings.NewReader(string(sample(t)) + "rest")
	if _, err := shim.Read(r, new(record)); err != nil || r.Len() != len("rest") {
		t.Errorf("%d bytes are left, %v", r.Len(), err)
	}
}

func TestWriterSplitsLongFrames(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("x"), 2*shim.MaxFrame+1)
	var b bytes.Buffer
	w := shim.NewWriter(&b)
	if err := errors.Join(w.Frame(shim.FrameStderr, long), w.Report(&shim.Report{})); err != nil {
		t.Fatal(err)
	}
	var got record
	if _, err := shim.Read(&b, &got); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got.String(), "x"); n != len(long) || strings.Count(got.String(), "e:") != 3 {
		t.Errorf("%d bytes in %d frames", n, strings.Count(got.String(), "e:"))
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Add([]byte("\x01\xff\xff\xff\xff"))
	f.Add([]byte("\x04\x00\x00\x00\x02{}"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		var got record
		rep, err := shim.Read(bytes.NewReader(stream), &got)
		if (rep == nil) == (err == nil) {
			t.Errorf("%v, %v", rep, err)
		}
		if lost, broken := new(shim.LostError), new(shim.ProtocolError); err != nil && !errors.As(err, &lost) && !errors.As(err, &broken) {
			t.Errorf("%v", err)
		}
	})
}
