package sidecar_test

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/seatrial/seatrial/sidecar"
)

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		name string
		pool string
		bits int
		n    int
		seed uint32
		len  int
	}{
		{"small subnets of the default pool", "10.189.0.0/16", 27, 40, 12345, 40},
		{"a seed near the end goes round", "10.189.0.0/16", 27, 40, 4294967295, 40},
		{"large subnets of the default pool", "10.189.0.0/16", 21, 40, 1, 32},
		{"a pool of one large subnet", "172.30.8.0/21", 21, 40, 9, 1},
		{"the smallest pool for small ones", "172.30.8.0/21", 27, 100, 9, 64},
		{"the largest pool", "0.0.0.0/0", 27, 40, 7, 40},
		{"the last pool", "255.255.0.0/16", 27, 40, 2047, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool := netip.MustParsePrefix(c.pool)
			got := sidecar.Candidates(pool, c.bits, c.n, c.seed)
			if len(got) != c.len {
				t.Fatalf("%d subnets, want %d", len(got), c.len)
			}
			for i, p := range got {
				if p.Bits() != c.bits || p != p.Masked() || !pool.Contains(p.Addr()) {
					t.Errorf("%s is no subnet of /%d in %s", p, c.bits, pool)
				}
				if sidecar.Overlaps(p, got[:i]) {
					t.Errorf("%s comes twice", p)
				}
			}
		})
	}
}

func TestProcessesSeldomTryTheSameSubnetFirst(t *testing.T) {
	pool := netip.MustParsePrefix("10.189.0.0/16")
	firsts := map[netip.Prefix]bool{}
	for seed := range uint32(100) {
		firsts[sidecar.Candidates(pool, 27, 1, seed*7919)[0]] = true
	}
	if len(firsts) < 90 {
		t.Errorf("100 seeds begin at %d places", len(firsts))
	}
}

func TestOverlaps(t *testing.T) {
	taken := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fe80::/64")}
	for text, want := range map[string]bool{"10.1.2.0/27": true, "10.0.0.0/8": true, "10.2.0.0/27": false} {
		if got := sidecar.Overlaps(netip.MustParsePrefix(text), taken); got != want {
			t.Errorf("%s overlaps: %v", text, got)
		}
	}
}

func TestPool(t *testing.T) {
	for _, c := range []struct {
		name, text, want string // empty = refused
	}{
		{"the default", "", "10.189.0.0/16"},
		{"another one", "172.30.0.0/16", "172.30.0.0/16"},
		{"one with an address inside", "172.30.5.9/16", "172.30.0.0/16"},
		{"too small a one", "172.30.0.0/22", ""},
		{"an address", "172.30.0.0", ""},
		{"IPv6", "fd00::/16", ""},
		{"nonsense", "x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := sidecar.PoolOf(sidecar.Host{Pool: c.text})
			var u *sidecar.UnusableError
			if c.want == "" {
				if !errors.As(err, &u) || u.Source != "SEATRIAL_NETWORK_POOL" {
					t.Errorf("%v, %v", got, err)
				}
				return
			}
			if err != nil || got.String() != c.want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1.40", "1.41", true}, {"1.41", "1.41", false}, {"1.100", "1.41", false}, {"1.9", "1.41", true}, {"2.0", "1.41", false}, {"", "1.41", false}, {"x", "1.41", false},
	} {
		if got := sidecar.Older(c.a, c.b); got != c.want {
			t.Errorf("%s is older than %s: %v", c.a, c.b, got)
		}
	}
}
