package main

import (
	"testing"
	"time"

	"github.com/seatrial/seatrial/sidecar"
)

func TestWhatIsSaidOfKeptStacks(t *testing.T) {
	at := time.Date(2026, 1, 4, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		kept sidecar.Kept
		want string
	}{
		{sidecar.Kept{Run: "r1", Trial: "hello-1a", Since: at.Add(-time.Hour), Until: at.Add(time.Hour)}, "kept trial hello-1a of run r1, since 2026-01-04 09:00:00 UTC until 2026-01-04 11:00:00 UTC (frozen)"},
		{sidecar.Kept{Run: "r1", Trial: "hello-1a", Since: at, Until: at.Add(-time.Hour), Open: true}, "kept trial hello-1a of run r1, since 2026-01-04 10:00:00 UTC until 2026-01-04 09:00:00 UTC, which is over (running)"},
		{sidecar.Kept{Run: "r1", Trial: "hello-1a"}, "kept trial hello-1a of run r1, since an unknown time until somebody removes it (frozen)"},
	} {
		if got := keptLine(c.kept, at); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
