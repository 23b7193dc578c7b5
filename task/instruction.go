package task

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxInstructionSize is the most bytes of an instruction.
const MaxInstructionSize = 4 << 20

// instruction reads the text for an agent.
func (l *loading) instruction(rel string) string {
	if !l.file(rel) {
		l.missing(rel, "the instruction is missing")
		return ""
	}
	data, more, err := readUpTo(l.root, rel, MaxInstructionSize)
	switch {
	case err != nil:
		l.fault(rel, "cannot be read: "+cause(err))
	case more:
		l.fault(rel, fmt.Sprintf("the file is larger than %d bytes", MaxInstructionSize))
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		l.fault(rel, "the file is not UTF-8 text without NUL characters")
	}
	trimmed, found := bytes.CutPrefix(data, []byte("\xef\xbb\xbf"))
	if found {
		l.warn(ByteOrderMark, rel, 1, "the file starts with a byte order mark, which is dropped")
	}
	return WithoutCanary(string(trimmed))
}

// WithoutCanary returns an instruction without the lines at its start that mark it for those who gather training data,
// and the blank lines after them. Such a line is a comment, "<!-- ... -->" or "# ...", with the word "canary" in it.
// The rest is returned as it is, line endings too.
func WithoutCanary(text string) string {
	rest, dropped := text, false
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		line = strings.TrimSpace(line)
		if !isCanary(line) && (line != "" || !dropped) {
			break
		}
		rest, dropped = after, true
	}
	return rest
}

func isCanary(line string) bool {
	comment := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--") && strings.HasSuffix(line, "-->")
	return comment && strings.Contains(strings.ToLower(line), "canary")
}
