package task

import (
	"net/netip"
	"strings"
)

// host is an entry of allowed_hosts. The rules are Harbor's: a name stands for itself alone, "*." before a name for
// what is below it.
func host() value[string] {
	const want = `a host name, "*." and a host name, an IP address, or a CIDR range with its host bits at zero; ` +
		`without scheme, port, path or brackets`
	return value[string]{"host", func(r *reader, n *node) (string, bool) {
		if n.kind == isString {
			if h, ok := normalHost(n.text); ok {
				return h, true
			}
		}
		r.wrong(n, want)
		return "", false
	}}
}

func normalHost(s string) (string, bool) {
	s = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), ".")
	if a, err := netip.ParseAddr(s); err == nil {
		return a.String(), a.Zone() == ""
	}
	if strings.Contains(s, "/") {
		p, err := netip.ParsePrefix(s)
		return s, err == nil && p == p.Masked()
	}
	return s, hostName(strings.TrimPrefix(s, "*."))
}

func hostName(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		if strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	// A name that ends in a number is an address that failed to parse, never a name.
	return len(s) <= 253 && strings.Trim(labels[len(labels)-1], "0123456789") != ""
}
