package stack

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// hiddenValue stands in prints for what is not to be shown.
const hiddenValue = "(set)"

// String gives the whole stack as text, always the same for the same stack. Values that came from the host are not in
// it.
func (s *Spec) String() string {
	var b strings.Builder
	_ = s.Print(&b) // a Builder takes every write
	return b.String()
}

// Print writes what String gives. It returns the first error of w.
func (s *Spec) Print(w io.Writer) error {
	p := &printer{w: w}
	for i := range s.Services {
		p.service(&s.Services[i])
	}
	for _, n := range s.Networks {
		p.line(0, "network %s%s%s", n.Name, flag(n.Internal, " internal"), named(" external", n.External))
		p.field("driver", n.Driver)
		p.field("subnet", n.Subnet)
		p.field("gateway", n.Gateway)
		p.field("ip_range", n.IPRange)
		p.pairs(1, "labels", n.Labels, nil, false)
	}
	for _, v := range s.Volumes {
		p.line(0, "volume %s%s", v.Name, named(" external", v.External))
		p.pairs(1, "driver_opts", v.DriverOpts, nil, false)
		p.pairs(1, "labels", v.Labels, nil, false)
	}
	return p.err
}

// printer writes indented lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(depth int, format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, strings.Repeat("  ", depth)+format+"\n", args...)
	}
}

// field writes a text that is set.
func (p *printer) field(key, value string) {
	if value != "" {
		p.line(1, "%s: %s", key, safe(value))
	}
}

// list writes texts on one line, each in quotes.
func (p *printer) list(key string, values []string, always bool) {
	if len(values) > 0 || always {
		p.line(1, "%s: %q", key, values)
	}
}

// pairs writes names and values, the names in order.
func (p *printer) pairs(depth int, key string, values map[string]string, secret map[string]bool, hidden bool) {
	if len(values) == 0 {
		return
	}
	p.line(depth, "%s:", key)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := strconv.Quote(values[name])
		if hidden || secret[name] {
			value = hiddenValue
		}
		p.line(depth+1, "%s = %s", safe(name), value)
	}
}

// safe quotes a text that would not read well, or that could steer a terminal.
func safe(s string) string {
	plain := strconv.Quote(s)
	if plain == `"`+s+`"` {
		return s
	}
	return plain
}

func flag(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func named(text, value string) string {
	if value == "" {
		return ""
	}
	return text + " " + safe(value)
}
