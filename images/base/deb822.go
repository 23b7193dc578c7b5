package base

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// maxLine bounds one line of a control file, in bytes. The longest lines in
// Debian's own indexes (Provides of big packages) stay under 64 KiB.
const maxLine = 1 << 20

// maxParagraph bounds the text kept of one paragraph, in bytes. A Release file
// is a single paragraph of a few hundred KiB.
const maxParagraph = 16 << 20

// Paragraph is one stanza of a Debian control file: field name to value, the
// lines of a folded field joined by newlines, without their leading blank.
type Paragraph map[string]string

// FormatError says that a file in one of Debian's formats could not be read.
type FormatError struct {
	File   string // which file, as far as it is known
	Line   int    // counted from 1, 0 where the format has no lines
	Reason string
}

// Error implements error.
func (e *FormatError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s line %d: %s", e.File, e.Line, e.Reason)
}

// Paragraphs reads the stanzas of a control file (deb822(5)) one after another.
// With names given only those fields are kept, which makes reading an index of
// sixty thousand packages cheap. The first fault ends the sequence as a
// *FormatError or the reader's own error. Comment lines are left out.
func Paragraphs(r io.Reader, names ...string) iter.Seq2[Paragraph, error] {
	return func(yield func(Paragraph, error) bool) {
		s := stanzas{keep: names}
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 0, 64<<10), maxLine)
		for in.Scan() {
			done, err := s.line(in.Text())
			if err != nil {
				yield(nil, err)
				return
			}
			if done != nil && !yield(done, nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield(nil, fmt.Errorf("reading a control file: %w", err))
			return
		}
		if len(s.now) > 0 {
			yield(s.now, nil)
		}
	}
}

type stanzas struct {
	keep  []string
	now   Paragraph
	field string // the field that a folded line continues, empty when it is not kept
	open  bool   // whether any field came before in this stanza
	size  int
	n     int
}

func (s *stanzas) line(text string) (done Paragraph, err error) {
	s.n++
	text = strings.TrimRight(text, "\r")
	switch {
	case strings.TrimSpace(text) == "":
		if len(s.now) > 0 {
			done = s.now
		}
		s.now, s.field, s.open, s.size = nil, "", false, 0
		return done, nil
	case text[0] == '#':
		return nil, nil
	case text[0] == ' ' || text[0] == '\t':
		return nil, s.fold(strings.TrimSpace(text))
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return nil, &FormatError{File: "control file", Line: s.n, Reason: "expected \"Field: value\""}
	}
	s.open, s.field = true, ""
	if len(s.keep) > 0 && !slices.Contains(s.keep, name) {
		return nil, nil
	}
	if s.now == nil {
		s.now = Paragraph{}
	}
	s.field = name
	s.now[name] = strings.TrimSpace(value)
	return nil, s.grow(len(text))
}

func (s *stanzas) fold(text string) error {
	if !s.open {
		return &FormatError{File: "control file", Line: s.n, Reason: "a folded line without a field before it"}
	}
	if s.field == "" {
		return nil
	}
	s.now[s.field] += "\n" + text
	return s.grow(len(text))
}

func (s *stanzas) grow(n int) error {
	s.size += n
	if s.size > maxParagraph {
		return &FormatError{File: "control file", Line: s.n, Reason: "a paragraph of more than 16 MiB"}
	}
	return nil
}
