package difftrial

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/seatrial/seatrial/internal/regular"
)

// The bounds of what is shown of a file.
const (
	maxHunkLines = 40        // of a unified diff, about
	maxHunkRun   = 12        // of it in a row that were taken out, or put in
	maxText      = 256 << 10 // bytes of a file that is compared line by line
	maxLine      = 1000      // bytes of each line in it
)

// compare says how a file is not the same on both sides; How stays empty where it is.
func (r *reader) compare(ctx context.Context, f *File, hunks bool) {
	a, b := f.Old, f.New
	switch {
	case b == nil:
		f.How = OnlyOld
	case a == nil:
		f.How = OnlyNew
	case a.Problem != "" || b.Problem != "":
		f.How, f.Problem = NotCompared, cmp.Or(a.Problem, b.Problem)
	case a.Kind != b.Kind:
		f.How = KindDiffers
	case a.Kind == kindLink && a.Target != b.Target:
		f.How = Target
	case a.Kind == kindFile:
		r.contents(ctx, f, hunks)
	}
}

// contents compares two regular files.
func (r *reader) contents(ctx context.Context, f *File, hunks bool) {
	was, now, err := r.pair(f.path, f.path)
	if err != nil {
		f.How, f.Problem = NotCompared, err.Error()
		return
	}
	defer closeBoth(was, now)
	if r.left <= 0 {
		f.unread(&place{})
		return
	}
	if max(f.Old.Size, f.New.Size) <= maxText && r.byLine(f, was, now, hunks) {
		return
	}
	if f.Binary = binary(was) || binary(now); f.Binary && f.Old.Size != f.New.Size {
		f.How = Content
		return
	}
	at, err := r.part(ctx, was, now)
	switch {
	case err != nil:
		f.How, f.Problem = NotCompared, bare(err)
	case at.cut:
		f.unread(&at)
	case at.same:
		f.How = ""
	case f.Binary:
		f.How = Content
	default:
		f.How, f.First = Content, at.first(was, now)
	}
}

// unread says that two files were not read to their end. Those of different sizes differ all the same.
func (f *File) unread(at *place) {
	f.How, f.Problem = NotCompared, at.unread()
	if f.Old.Size != f.New.Size {
		f.How = Content
	}
}

// byLine compares two files that are not large, and says whether that was all there is to do: their lines may be too long for it.
func (r *reader) byLine(f *File, was, now *os.File, hunks bool) bool {
	a, errA := regular.ReadFrom(was, maxText)
	b, errB := regular.ReadFrom(now, maxText)
	if errA != nil || errB != nil {
		return false // what it is comes out when they are read again
	}
	r.left -= int64(max(len(a), len(b)))
	if bytes.Equal(a, b) {
		return true
	}
	f.How = Content
	if f.Binary = bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0; f.Binary {
		return true
	}
	if !fits(a) || !fits(b) {
		return false
	}
	f.hunks(a, b, hunks)
	return true
}

// hunks shows two texts line by line.
func (f *File) hunks(was, now []byte, may bool) {
	all := bytes.SplitAfter(diff.Diff("", was, "", now), []byte{'\n'})
	const head = 3 // the names
	all = all[min(head, len(all)):]
	if n := len(all); n > 0 && len(all[n-1]) == 0 {
		all = all[:n-1]
	}
	if !may {
		f.LinesLeftOut = len(all)
		return
	}
	f.Lines, f.LinesLeftOut = short(all)
}

// short shows the first lines of a unified diff. Of many that were taken out, or put in, in a row only some are shown, so that what follows is seen as well; the second result counts those
// that are not shown at the end.
func short(all [][]byte) ([]string, int) {
	var out []string
	for i := 0; i < len(all); {
		if len(out) >= maxHunkLines {
			return out, len(all) - i
		}
		run := 1
		for sign := all[i][0]; (sign == '-' || sign == '+') && i+run < len(all) && all[i+run][0] == sign; {
			run++
		}
		for n := range run {
			if n == maxHunkRun && run > maxHunkRun+1 {
				out = append(out, fmt.Sprintf("... %d lines more", run-n))
				break
			}
			out = append(out, visible(bytes.TrimSuffix(all[i+n], []byte{'\n'})))
		}
		i += run
	}
	return out, 0
}

// fits says that no line of a text is too long to be shown as one.
func fits(text []byte) bool {
	for len(text) > 0 {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			i = len(text)
		}
		if i > maxLine {
			return false
		}
		text = text[min(i+1, len(text)):]
	}
	return true
}

// binary says that there is a zero byte at the beginning of a file.
func binary(f *os.File) bool {
	const some = 8000
	return bytes.IndexByte(readAt(f, 0, some), 0) >= 0
}
