package difftrial

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFolderOfTooMuch(t *testing.T) {
	t.Parallel()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	var roots [2]*os.Root
	for i, dir := range dirs {
		for n := range 60 {
			put(t, filepath.Join(dir, "agent", fmt.Sprint("f", n)), "x")
		}
		put(t, filepath.Join(dir, "verifier", "reward.json"), fmt.Sprint(i))
		put(t, filepath.Join(dir, "steps", "one", "verifier", "reward.json"), fmt.Sprint(i))
		put(t, filepath.Join(dir, "artifacts", strings.Repeat("d/", maxDepth+10), "deep"), fmt.Sprint(i))
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		roots[i] = root
	}
	if l := list(t.Context(), roots[0], 100); !l.tally.Cut || len(l.entries) > 100 {
		t.Errorf("%+v, %d entries", l.tally, len(l.entries))
	}
	if l := list(t.Context(), roots[0], maxEntries); l.tally.Cut || l.tally.Files != 62 {
		t.Errorf("%+v", l.tally)
	}
	for _, most := range []int{75, 100, maxEntries} {
		r := &reader{old: roots[0], new: roots[1], left: maxRead}
		p := r.filesOf(t.Context(), nil, most)
		if p.Listed[len(p.Listed)-1].path != "verifier/reward.json" && p.Listed[len(p.Listed)-1].How != Content {
			t.Errorf("%+v", p.Listed)
		}
		for _, f := range p.Listed {
			if f.How == OnlyOld || f.How == OnlyNew {
				t.Errorf("with %d entries, %s is %s", most, f.Name, f.How)
			}
		}
	}
}

func TestNoMoreIsReadThanIsLeft(t *testing.T) {
	t.Parallel()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	r := &reader{left: 1 << 20}
	for i, into := range []**os.Root{&r.old, &r.new} {
		for _, name := range []string{"a", "b"} { // holes: they take no room
			put(t, filepath.Join(dirs[i], "agent", name), "")
			if err := os.Truncate(filepath.Join(dirs[i], "agent", name), 1<<40); err != nil {
				t.Skip("no holes here")
			}
		}
		put(t, filepath.Join(dirs[i], "agent", "c"), fmt.Sprint(i))
		put(t, filepath.Join(dirs[i], "agent", "d"), strings.Repeat("x", i))
		root, err := os.OpenRoot(dirs[i])
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		*into = root
	}
	p := r.files(t.Context(), nil)
	if !p.Differs || p.Listed[3].How != Content || p.NotCompared != 3 || p.Listed[0].Problem != "the same in the first 1048576 bytes; more was not read" || p.Listed[1].Problem != "not read, since so much was read before it" {
		t.Errorf("%+v", p)
	}
}

func TestWhatWasNotLookedAtIsNotTakenForTheSame(t *testing.T) {
	t.Parallel()
	d := &Diff{Equal: true, Files: &FilesPart{Same: 5, Old: Tally{Cut: true}}}
	var b strings.Builder
	if err := WriteText(&b, d); err != nil || !strings.Contains(b.String(), "the old trial has more files than were looked at") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// endless is a text without end.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), e.left))
	for i := range p[:n] {
		p[i] = 'x'
		if (e.left-int64(i))%1000 == 0 {
			p[i] = '\n'
		}
	}
	e.left -= int64(n)
	return n, nil
}

func TestLittleOfAHugeLogIsHeld(t *testing.T) {
	const size = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := part(t.Context(), io.MultiReader(&endless{left: size}, strings.NewReader("a")), io.MultiReader(&endless{left: size}, strings.NewReader("b")), maxRead)
	runtime.ReadMemStats(&after)
	if err != nil || p.same || p.cut || p.offset != size {
		t.Errorf("%+v, error %v", p, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes were held", used)
	}
}

func TestWhereTwoTextsCeaseToBeTheSame(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		same := make([]byte, rnd.IntN(400_000))
		for i := range same {
			same[i] = "abcdefghijklmnop\n"[rnd.IntN(17)]
		}
		p, err := part(t.Context(), iotest.HalfReader(bytes.NewReader(append(bytes.Clone(same), "1 more"...))), bytes.NewReader(append(bytes.Clone(same), "2"...)), maxRead)
		if err != nil || p.offset != int64(len(same)) || p.line != int64(bytes.Count(same, []byte("\n"))) || p.same {
			t.Fatalf("%+v, error %v; want %d", p, err, len(same))
		}
		var want []int64
		for i := len(same); i >= 0 && len(want) <= around; i-- {
			if i == 0 || same[i-1] == '\n' {
				want = append(want, int64(i))
			}
		}
		for i := range want {
			if p.starts[around-i] != want[i] {
				t.Fatalf("%v, want %v", p.starts, want)
			}
		}
		if p, err = part(t.Context(), bytes.NewReader(same), iotest.HalfReader(bytes.NewReader(same)), maxRead); err != nil || !p.same {
			t.Fatalf("%+v, error %v", p, err)
		}
	}
	if _, err := part(t.Context(), iotest.ErrReader(os.ErrPermission), strings.NewReader("x"), maxRead); err == nil {
		t.Error("an error of reading is lost")
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   string
		at     int
		longer bool
		want   string
	}{
		{"short", 2, false, "short"}, {"", 0, false, ""}, {"short", 2, true, "short..."},
		{strings.Repeat("x", 300), 0, false, strings.Repeat("x", 200) + "..."},
		{strings.Repeat("x", 300), 250, false, "..." + strings.Repeat("x", 110)},
		{strings.Repeat("é", 300), 401, false, "..." + strings.Repeat("é", 100) + "..."},
		{strings.Repeat("\xff", 201), 0, false, strings.Repeat(`\xff`, 200) + "..."},
	} {
		if got := window([]byte(c.line), c.at, c.longer); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.line, c.at, got, c.want)
		}
	}
}

func TestNamesBelowAFolderFollowIt(t *testing.T) {
	t.Parallel()
	order := []string{"", "a", "a/b", "a/b/c", "a/z", "a-", "a-/x", "a.b", "b"}
	for i, x := range order {
		for j, y := range order {
			if got := byFolder(x, y); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q: %d", x, y, got)
			}
		}
	}
}
