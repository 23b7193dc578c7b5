package shim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxArg is the size of a part of the spec. Linux takes at most 131072 bytes in one argument (MAX_ARG_STRLEN, execve(2)).
const maxArg = 100 << 10

// Command returns the argument list that makes an engine run the spec inside a container: the helper, "run" and
// the spec as JSON, which is cut into several arguments where it is too long for one.
func (s *Spec) Command() ([]string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encode a command for the helper: %w", err)
	}
	argv := []string{Path, "run"}
	for rest := bytes.TrimSuffix(b.Bytes(), []byte("\n")); len(rest) > 0; {
		n := min(len(rest), maxArg)
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n--
		}
		argv, rest = append(argv, string(rest[:n])), rest[n:]
	}
	return argv, nil
}

// Init returns the argument list for a container's first process in front of the image's own command; without one
// the container is just held.
func Init(command ...string) []string {
	argv := []string{Path, "init"}
	if len(command) > 0 {
		argv = append(append(argv, "--"), command...)
	}
	return argv
}
