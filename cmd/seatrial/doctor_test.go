package main

import (
	"math"
	"testing"
)

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64 // -1 = refused
	}{
		{"0", 0}, {"1", 1}, {"1024", 1 << 10}, {"1KiB", 1 << 10}, {"2MB", 2 << 20}, {"1.5GiB", 3 << 29}, {"1g", 1 << 30}, {"2 TiB", 2 << 40},
		{"", -1}, {"-1", -1}, {"x", -1}, {"1XB", -1}, {"NaN", -1}, {"1e300", -1}, {"inf", -1}, {"99999999999999PiB", -1},
	} {
		t.Run(c.text, func(t *testing.T) {
			var s size
			err := s.Set(c.text)
			if (err != nil) != (c.want < 0) || err == nil && int64(s) != c.want {
				t.Errorf("%d, %v", s, err)
			}
		})
	}
	var back size
	for _, n := range []size{0, 1 << 30, 5 << 20, math.MaxInt32} {
		if err := back.Set(n.String()); err != nil || n > 0 && math.Abs(float64(back-n)/float64(n)) > 0.01 {
			t.Errorf("%d is written as %s, and that is read as %d, %v", n, n.String(), back, err)
		}
	}
}
