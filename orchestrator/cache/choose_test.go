package cache_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator/cache"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/task/checkout"
)

// day is the nth of a month.
func day(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }

// layers are some of these sizes, with their names as keys.
func layers(texts ...string) []sidecar.StoredLayer {
	var out []sidecar.StoredLayer
	for _, s := range texts {
		l := sidecar.StoredLayer{Key: s}
		if _, err := fmt.Sscanf(s[1:], "%d", &l.Bytes); err != nil {
			panic(err)
		}
		out = append(out, l)
	}
	return out
}

func img(name string, used int, ls ...string) cache.Image {
	return cache.Image{Digest: name, Tags: []string{name}, Used: day(used), Layers: layers(ls...)}
}

func TestChoose(t *testing.T) {
	busy := img("busy", 1, "k50")
	busy.InUse = true
	for _, c := range []struct {
		name  string
		stock cache.Stock
		keep  int64
		sum   int64
		want  string
	}{
		{"nothing is there", cache.Stock{}, 0, 0, ""},
		{"what fits stays", cache.Stock{Images: []cache.Image{img("a", 1, "x100")}}, 100, 100, ""},
		{"the oldest goes first", cache.Stock{Images: []cache.Image{img("new", 9, "x100"), img("old", 2, "y100"), img("mid", 5, "z100")}}, 150, 300, "image old 100, image mid 100"},
		{"no more than needed", cache.Stock{Images: []cache.Image{img("a", 1, "x100"), img("b", 2, "y100")}}, 199, 200, "image a 100"},
		{"what is in use stays, and counts", cache.Stock{Images: []cache.Image{busy, img("a", 2, "x10"), img("b", 3, "y10")}}, 60, 70, "image a 10"},
		{"nothing but what is in use", cache.Stock{Images: []cache.Image{busy}}, 10, 50, ""},
		{"a layer of two goes with the second", cache.Stock{Images: []cache.Image{img("a", 1, "s70", "x10"), img("b", 2, "s70", "y20"), img("c", 3, "z5")}}, 50, 105, "image a 10, image b 90"},
		{"a layer that one in use has stays", cache.Stock{Images: []cache.Image{img("a", 1, "k50", "x10"), busy, img("b", 3, "y10")}}, 55, 70, "image a 10, image b 10"},
		{"layers of others count nothing", cache.Stock{Others: map[string]bool{"o900": true}, Images: []cache.Image{img("a", 1, "o900", "x10"), img("b", 2, "o900", "y10")}}, 10, 20, "image a 10"},
		{"without a budget all goes, whatever it takes", cache.Stock{Others: map[string]bool{"o900": true}, Images: []cache.Image{img("a", 1, "o900"), img("b", 2, "y10"), busy}}, 0, 60, "image a 0, image b 10"},
		{"build cache goes at its turn, and as one", cache.Stock{
			Images: []cache.Image{img("a", 2, "x100"), img("b", 4, "y100")},
			Builds: []sidecar.StoredBuild{{ID: "1", Used: day(1), Bytes: 10}, {ID: "2", Used: day(3), Bytes: 20}, {ID: "3", Used: day(5), Bytes: 40}, {ID: "4", Used: day(1), Bytes: 1, InUse: true}},
		}, 145, 271, "image a 100, build cache of the engine 30"},
		{"so do checkouts", cache.Stock{
			Images:    []cache.Image{img("a", 2, "x100")},
			Checkouts: []checkout.Kept{{Dir: "/c/1", Bytes: 7, Used: day(1)}, {Dir: "/c/2", Bytes: 7, Used: day(1), InUse: true}, {Dir: "/c/3", Bytes: 7, Used: day(3)}},
		}, 14, 121, "checkout /c/1 7, image a 100"},
		{"of the same age in the order of their names", cache.Stock{Images: []cache.Image{img("b", 1, "y1"), img("a", 1, "x1")}}, 1, 2, "image a 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if sum := c.stock.Sizes().Sum(); sum != c.sum {
				t.Errorf("all is %d, want %d", sum, c.sum)
			}
			var got []string
			for _, i := range cache.Choose(&c.stock, c.keep) {
				got = append(got, fmt.Sprintf("%s %d", i, i.Bytes))
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}
