package base_test

import (
	"testing"

	"github.com/seatrial/seatrial/images/base"
)

func TestCompareVersions(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       int
	}{
		{"equal ones are equal", "1.0-1", "1.0-1", 0},
		{"a missing revision is revision 0", "1.0", "1.0-0", 0},
		{"numbers count as numbers", "1.10", "1.9", 1},
		{"leading zeros do not count", "1.09", "1.9", 0},
		{"a tilde comes before the end", "1.0~rc1", "1.0", -1},
		{"two tildes come before one", "1.0~~", "1.0~", -1},
		{"letters come before signs", "1.0a", "1.0+", -1},
		{"an epoch beats all", "1:0.1", "9.9", 1},
		{"an epoch of zero is none", "0:1.0", "1.0", 0},
		{"the revision decides last", "1.0-2", "1.0-10", -1},
		{"a security update is newer", "2.36-9+deb12u4", "2.36-9+deb12u13", -1},
		{"numbers of any length are compared", "1.99999999999999999999999", "1.100000000000000000000000", -1},
		{"a rebuild is newer", "1.37.0-6+b9", "1.37.0-6", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := base.CompareVersions(tt.a, tt.b); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if got := base.CompareVersions(tt.b, tt.a); got != -tt.want {
				t.Errorf("the other way round: got %d, want %d", got, -tt.want)
			}
		})
	}
}

func FuzzCompareVersions(f *testing.F) {
	f.Add("1:2.3-4", "1.0~rc1")
	f.Add("", "a")
	f.Add("~~", ":-")
	f.Fuzz(func(t *testing.T, a, b string) {
		if base.CompareVersions(a, a) != 0 {
			t.Errorf("%q is not equal to itself", a)
		}
		if base.CompareVersions(a, b) != -base.CompareVersions(b, a) {
			t.Errorf("%q and %q have no order", a, b)
		}
	})
}
