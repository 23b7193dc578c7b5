package base

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	arMagic  = "!<arch>\n"
	arHeader = 60
)

// Ar reads the members of a Unix archive in the form that dpkg writes (deb(5)):
// short names, no symbol table. It holds one header in memory at a time.
type Ar struct {
	r    io.Reader
	left int64 // of the current member, padding included
}

// NewAr checks the archive's first line. It fails with *FormatError.
func NewAr(r io.Reader) (*Ar, error) {
	magic := make([]byte, len(arMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != arMagic {
		return nil, &FormatError{File: "package", Reason: "it is no ar archive"}
	}
	return &Ar{r: r}, nil
}

// Next goes to the next member and returns its name and a reader over its
// content, which is good until the next call. At the end it returns io.EOF;
// a damaged archive is a *FormatError.
func (a *Ar) Next() (name string, content io.Reader, err error) {
	if _, err := io.CopyN(io.Discard, a.r, a.left); err != nil {
		return "", nil, &FormatError{File: "package", Reason: "it ends inside a member"}
	}
	a.left = 0
	var h [arHeader]byte
	if _, err := io.ReadFull(a.r, h[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return "", nil, io.EOF
		}
		return "", nil, &FormatError{File: "package", Reason: "it ends inside a header"}
	}
	if h[58] != '`' || h[59] != '\n' {
		return "", nil, &FormatError{File: "package", Reason: "a member's header is damaged"}
	}
	name = strings.TrimSuffix(strings.TrimRight(string(h[:16]), " "), "/")
	size, err := strconv.ParseInt(strings.TrimRight(string(h[48:58]), " "), 10, 64)
	if err != nil || size < 0 {
		return "", nil, &FormatError{File: "package", Reason: fmt.Sprintf("member %q has no right size", name)}
	}
	a.left = size
	content = &arMember{a: a, left: size}
	a.left += size & 1
	return name, content, nil
}

type arMember struct {
	a    *Ar
	left int64
}

func (m *arMember) Read(p []byte) (int, error) {
	if m.left == 0 {
		return 0, io.EOF
	}
	n, err := m.a.r.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	m.a.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = nil
		if m.left > 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}
