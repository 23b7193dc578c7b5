package egress_test

import (
	"testing"

	"github.com/seatrial/seatrial/sidecar/egress"
)

func TestPolicy(t *testing.T) {
	p := egress.Policy{Hosts: []string{"a.example", "*.b.example", "192.0.2.7", "198.51.100.0/24", "2001:db8::/32"}}
	for host, want := range map[string]bool{
		"a.example": true, "A.Example.": true, "x.a.example": false, "b.example": false, "x.b.example": true, "y.x.b.example": true, "xb.example": false, "": false, ".": false,
		"192.0.2.7": true, "192.0.2.8": false, "198.51.100.200": true, "198.51.101.1": false, "::ffff:192.0.2.7": true, "2001:db8::1": true, "2001:db9::1": false,
		"a.example.evil": false, "evil-a.example": false,
	} {
		if got := p.Name(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
	if (egress.Policy{}).Name("a.example") || !(egress.Policy{Open: true}).Name("any.example") || !(egress.Policy{Open: true}).Name("10.0.0.1") {
		t.Error("an empty policy allows nothing, and an open one everything")
	}
	if !p.Numeric() || (egress.Policy{Hosts: []string{"a.example"}}).Numeric() {
		t.Error("Numeric")
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add("a.example", "*.a.example")
	f.Add("x.a.example", "*.a.example")
	f.Add("10.1.2.3", "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, host, entry string) {
		if (egress.Policy{Hosts: []string{"only.example"}}).Name(host) && !equalFold(host, "only.example") {
			t.Errorf("%q is allowed", host)
		}
		_ = (egress.Policy{Hosts: []string{entry}}).Name(host)
	})
}
