package draft

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// toml writes the declaration; s has what the contract says, and is nil before that is known.
func toml(c contract, s *spec.Server) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# A fake of %s, begun from its contract. `seatrial check` says what is still missing.\n", oneLine(c.title, c.name))
	fmt.Fprintf(&b, "name = %s\n", text(c.name))
	for _, pair := range [][2]string{{"title", c.title}, {"version", c.version}, {"instructions", c.instructions}} {
		if pair[1] != "" {
			fmt.Fprintf(&b, "%s = %s\n", pair[0], text(pair[1]))
		}
	}
	fmt.Fprintf(&b, "protocols = [%s]\n", text(string(c.protocol)))
	if s != nil {
		b.WriteString("\n# The tools that write nothing. What the contract hints at proves nothing: take the \"#\" from those that you have made sure of.\nreads = [\n")
		for _, t := range s.Tools {
			if hint := reads(s, t); hint != "" {
				fmt.Fprintf(&b, "  # %s, # %s\n", text(t.Name), hint)
			}
		}
		b.WriteString("]\n")
	}
	fmt.Fprintf(&b, "\n[contract]\n%s = %s\n", c.key, text(c.file))
	if s == nil {
		return []byte(b.String())
	}
	b.WriteString("\n# What each of the other tools writes, by entity; what leaves the system, such as a mail, is an entity too.\n[writes]\n")
	for _, t := range s.Tools {
		if reads(s, t) == "" {
			fmt.Fprintf(&b, "# %s = [\"...\"]\n", text(t.Name))
		}
	}
	b.WriteString(`
# The things that the server keeps, what its tools do with them, and where each case begins:
#
# [entities.item]
# id = "id"
#
# [scenarios.default.seed]
# item = [{ id = "item_1", name = "the first" }]
`)
	return []byte(b.String())
}

// reads says why a tool might only read, or nothing.
func reads(s *spec.Server, t *spec.Tool) string {
	for _, r := range s.Routes {
		if r.Tool == t.Name && (r.Method == "GET" || r.Method == "HEAD") {
			return oneLine(r.Method+" "+r.Path, "")
		}
	}
	var hints struct {
		ReadOnly bool `json:"readOnlyHint"` //nolint:tagliatelle // MCP's own name
	}
	if t.Annotations != nil && json.Unmarshal(t.Annotations, &hints) == nil && hints.ReadOnly {
		return "readOnlyHint"
	}
	return ""
}

// text is a TOML string. A JSON string is one, but for the delete character.
func text(s string) string {
	out, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return `""`
	}
	return strings.ReplaceAll(string(out), "\x7f", `\u007f`)
}

// oneLine keeps text inside a comment.
func oneLine(s, otherwise string) string {
	if s == "" {
		s = otherwise
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
