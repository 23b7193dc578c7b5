package stack

import (
	"strconv"
	"strings"
)

// joined makes a key of a path's parts. A slash cannot stand in the names of services, networks or volumes.
func joined(path []string) string { return strings.Join(path, "/") }

// item is the part of a path that means the i-th item of a list.
func item(i int) string { return "[" + strconv.Itoa(i) + "]" }

// dotted is a path as people write it: "volumes[0].type".
func dotted(path []string) string {
	var b strings.Builder
	for _, part := range path {
		if b.Len() > 0 && !strings.HasPrefix(part, "[") {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}

// extend gives a path with one more part, sharing nothing with the first.
func extend(path []string, part string) []string {
	out := make([]string, len(path)+1)
	copy(out, path)
	out[len(path)] = part
	return out
}
