package nearest_test

import (
	"testing"

	"github.com/seatrial/seatrial/internal/nearest"
)

func TestOf(t *testing.T) {
	t.Parallel()
	known := []string{"agent", "agent-cmd", "timeout", "ssh"}
	for _, tc := range []struct{ name, word, want string }{
		{"a swap of neighbours is near", "agnet", "agent"},
		{"one letter too many is near", "timeoutt", "timeout"},
		{"another word is not", "network", ""},
		{"a short word is near to nothing else", "sta", ""},
		{"nothing is near to nothing", "", ""},
	} {
		if got := nearest.Of(tc.word, known); got != tc.want {
			t.Errorf("%s: Of(%q) = %q, want %q", tc.name, tc.word, got, tc.want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}} {
		if got := nearest.Distance(tc.a, tc.b); got != tc.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
