package images

import (
	"bytes"

	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// WithoutSyntax returns a Dockerfile whose `# syntax=` line is an empty comment:
// the frontend is the one in this process, whereas that line would have the
// engine pull one. Lines keep their numbers.
func WithoutSyntax(dockerfile []byte) []byte {
	_, _, at, ok := parser.DetectSyntax(dockerfile)
	if !ok {
		return dockerfile
	}
	lines := bytes.SplitAfter(dockerfile, []byte("\n"))
	for _, r := range at {
		if i := r.Start.Line - 1; i >= 0 && i < len(lines) {
			lines[i] = []byte("#\n")
		}
	}
	return bytes.Join(lines, nil)
}
