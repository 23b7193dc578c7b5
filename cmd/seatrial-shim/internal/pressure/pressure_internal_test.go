//go:build linux

package pressure

import "testing"

func same(n *int64, want int64) bool { return n == nil && want < 0 || n != nil && *n == want }

func TestThrottling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text         string
		periods, throttled int64 // -1 = unknown
		seconds            float64
	}{
		{"version 1", "nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000\n", 10, 4, 2.5},
		{"version 2", "usage_usec 5\nuser_usec 3\nnr_periods 7\nnr_throttled 0\nthrottled_usec 500000\n", 7, 0, 0.5},
		{"version 2 without a limit", "usage_usec 5\n", -1, -1, -1},
		{"nothing", "", -1, -1, -1},
		{"no numbers", "nr_periods x\nnr_throttled -1\nthrottled_time\n", -1, -1, -1},
	} {
		p, n, s := throttling(c.text)
		if !same(p, c.periods) || !same(n, c.throttled) || (s == nil) != (c.seconds < 0) || s != nil && (*s-c.seconds > 1e-9 || c.seconds-*s > 1e-9) {
			t.Errorf("%s: %v %v %v", c.name, p, n, s)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"7\n": 7, "max\n": -1, "": -1, "-3": -1, "99999999999999999999": -1} {
		if n := number(text); !same(n, want) {
			t.Errorf("%q: %v", text, n)
		}
	}
	none := int64(9223372036854771712) // what version 1 has for no limit
	if bounded(&none) != nil || bounded(nil) != nil {
		t.Error("no limit is one")
	}
	for text, want := range map[string]float64{"1.50 2 3 1/2 3": 1.5, "": -1, "x": -1, "NaN": -1, "-1": -1} {
		if v := load(text); (v == nil) != (want < 0) || v != nil && *v != want {
			t.Errorf("%q: %v", text, v)
		}
	}
	for text, want := range map[string]int64{"some avg10=75.87 avg60=84.03 avg300=65.99 total=1806944384\nfull avg10=0.00 total=3\n": 1806944384, "full avg10=0.00 total=3\n": -1, "some\n": -1,
		"some total=x\n": -1, "some avg10=1 total=-1\n": -1, "": -1} {
		if n := waited(text); !same(n, want) {
			t.Errorf("%q: %v", text, n)
		}
	}
	a, b := int64(3), int64(5)
	if !same(since(&a, &b), 2) || since(&b, &a) != nil || since(nil, &a) != nil {
		t.Error("differences")
	}
}

func TestWhatThisMachineSays(t *testing.T) {
	t.Parallel()
	p := Begin().Since(t.TempDir())
	if p.DiskFree == nil || *p.DiskFree <= 0 || p.LoadAfter == nil {
		t.Errorf("%+v", p)
	}
	if p := Begin().Since("/not-there"); p.DiskFree != nil {
		t.Errorf("%+v", p)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("0::/\n", "nr_periods 1\n")
	f.Fuzz(func(t *testing.T, own, text string) {
		_ = read(own)
		if p, n, s := throttling(text); p != nil && *p < 0 || n != nil && *n < 0 || s != nil && *s < 0 {
			t.Error("negative")
		}
	})
}
