package oom_test

import (
	"testing"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/oom"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		text string
		want int64
		ok   bool
	}{
		{"cgroup v2", "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n", 2, true},
		{"cgroup v1", "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n", 7, true},
		{"an old kernel does not count", "oom_kill_disable 0\nunder_oom 0\n", 0, false},
		{"nothing", "", 0, false},
		{"no number", "oom_kill x\n", 0, false},
		{"a negative number", "oom_kill -1\n", -1, false},
	} {
		if n, ok := oom.Parse(c.text); ok != c.ok || n != c.want {
			t.Errorf("%s: %d %v", c.name, n, ok)
		}
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want int64 }{{2, 5, 3}, {2, 2, 0}, {oom.Unknown, 5, oom.Unknown}, {2, oom.Unknown, oom.Unknown}, {5, 2, oom.Unknown}} {
		if got := oom.Since(c.before, c.after); got != c.want {
			t.Errorf("from %d to %d: %d", c.before, c.after, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("oom_kill 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		if n, ok := oom.Parse(text); ok && n < 0 {
			t.Errorf("%d", n)
		}
	})
}
