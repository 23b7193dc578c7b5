package server

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// maxLive is how much of the arguments a line of the live journal shows, in bytes.
const maxLive = 160

// Live returns an observer that writes a readable line to w for each call.
func Live(w io.Writer) func(world.Call, world.Answer) {
	var mu sync.Mutex
	return func(c world.Call, a world.Answer) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, liveLine(c, a))
	}
}

func liveLine(c world.Call, a world.Answer) string {
	mark := "  "
	if a.Write {
		mark = "W "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%6d  %-10s %s%s %s %s", a.Seq, a.Outcome, mark, plain(c.Server), plain(c.Tool), short(plain(string(c.Arguments))))
	if a.Fault != "" {
		fmt.Fprintf(&b, "  [%s]", a.Fault)
	}
	if a.Nearest != "" {
		fmt.Fprintf(&b, "  (nearest: %s)", plain(a.Nearest))
	}
	if why := reason(a); why != "" {
		fmt.Fprintf(&b, "  -- %s", short(plain(why)))
	}
	return b.String()
}

// reason is what a call that did not succeed was told.
func reason(a world.Answer) string {
	switch {
	case a.Outcome == world.OutcomeOK:
		return ""
	case a.Message != "":
		return a.Message
	}
	return a.Text
}

// plain keeps text from the agent on one line and out of the terminal's controls.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) || r == '\u2028' || r == '\u2029' || (r >= '\u202a' && r <= '\u202e') || (r >= '\u2066' && r <= '\u2069') {
			return ' '
		}
		return r
	}, s)
}

func short(s string) string {
	if len(s) <= maxLive {
		return s
	}
	return strings.ToValidUTF8(s[:maxLive], "") + "..."
}
