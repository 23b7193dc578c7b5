package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/stream"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// record notes frames as text, a cut as "<n>".
type record struct {
	bytes.Buffer
	fail error
}

func (r *record) Frame(kind byte, p []byte) error {
	if kind != shim.FrameStderr {
		return errors.New("wrong kind")
	}
	r.Write(p)
	return r.fail
}

func (r *record) Cut(c shim.Cut) error {
	if c.Stream != shim.FrameStderr {
		return errors.New("wrong stream")
	}
	fmt.Fprintf(r, "<%d>", c.Bytes)
	return r.fail
}

func TestStream(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		head, tail int64
		in         []string
		want       string
		cut        int64
	}{
		{"without bounds everything passes", 0, 0, []string{"abc", "def"}, "abcdef", 0},
		{"what fits passes", 3, 3, []string{"abcdef"}, "abcdef", 0},
		{"one byte too much is cut", 3, 3, []string{"abcdefg"}, "abc<1>efg", 1},
		{"the tail goes round", 1, 3, []string{"a", "bc", "de", "fg", "h"}, "a<4>fgh", 4},
		{"a piece as long as the tail replaces it", 0, 3, []string{"ab", "cdefg", "h"}, "<5>fgh", 5},
		{"a head alone", 2, 0, []string{"abc", "d"}, "ab<2>", 2},
		{"nothing", 2, 2, nil, "", 0},
		{"negative bounds are none", -1, -1, []string{"abc"}, "abc", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r record
			s := stream.New(&r, shim.FrameStderr, c.head, c.tail)
			total := int64(0)
			for _, in := range c.in {
				total += int64(len(in))
				if n, err := s.Write([]byte(in)); n != len(in) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, r.String()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if d := cmp.Diff(shim.StreamReport{Bytes: total, Cut: c.cut}, s.Report()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestStreamFails(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	s := stream.New(&record{fail: gone}, shim.FrameStderr, 1, 1)
	if _, err := s.Write([]byte("abc")); !errors.Is(err, gone) {
		t.Error(err)
	}
	if err := s.Close(); !errors.Is(err, gone) {
		t.Error(err)
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("some text"), uint8(3), uint8(4), uint8(2))
	f.Fuzz(func(t *testing.T, text []byte, head, tail, step uint8) {
		var r record
		s := stream.New(&r, shim.FrameStderr, int64(head), int64(tail))
		for rest := text; len(rest) > 0; {
			n := min(len(rest), int(step)+1)
			_, _ = s.Write(rest[:n])
			rest = rest[n:]
		}
		_ = s.Close()
		want := string(text)
		if keep := int(head) + int(tail); keep > 0 && len(text) > keep {
			want = fmt.Sprintf("%s<%d>%s", text[:head], len(text)-keep, text[len(text)-int(tail):])
		}
		if r.String() != want {
			t.Errorf("got %q, want %q", r.String(), want)
		}
	})
}
