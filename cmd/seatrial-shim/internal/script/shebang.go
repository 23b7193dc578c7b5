//go:build linux

// Package script tells from the first bytes of a file how the kernel will start it, and why it cannot.
package script

import (
	"bytes"
	"strings"
)

// Window is how many bytes of a file the kernel looks at to start it (BINPRM_BUF_SIZE in Linux).
const Window = 256

// Kind is what a file is to the kernel.
type Kind int

// The kinds of files.
const (
	// Text has no shebang and would be run by a shell, if it were started from one.
	Text Kind = iota
	// Shebang begins with #!.
	Shebang
	// ELF is a program.
	ELF
	// Binary is anything else.
	Binary
)

// Head is what the first bytes of a file tell.
type Head struct {
	Kind Kind
	// Interpreter and Arg are the shebang's; the kernel passes all that follows the interpreter as one argument.
	Interpreter string
	Arg         string
	// CR says that the first line ends in a carriage return, which the kernel takes as a part of the line.
	CR bool
	// BOM says that a byte order mark hides a shebang.
	BOM bool
}

// Parse reads the first bytes of a file, at least Window of them where the file has as many.
func Parse(b []byte) Head {
	switch {
	case bytes.HasPrefix(b, []byte("\x7fELF")):
		return Head{Kind: ELF}
	case bytes.HasPrefix(b, []byte("#!")):
		return parseShebang(b)
	}
	// Like bash: a NUL in the first line is what text never has.
	line, _, _ := bytes.Cut(b, []byte("\n"))
	if bytes.IndexByte(line, 0) >= 0 {
		return Head{Kind: Binary}
	}
	return Head{Kind: Text, BOM: bytes.HasPrefix(b, []byte("\xef\xbb\xbf#!")), CR: bytes.HasSuffix(line, []byte("\r"))}
}

func parseShebang(b []byte) Head {
	line, _, _ := bytes.Cut(b[:min(len(b), Window)], []byte("\n"))
	text := string(line[2:])
	if i := strings.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	h := Head{Kind: Shebang, CR: strings.HasSuffix(text, "\r")}
	text = strings.Trim(text, " \t")
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		h.Interpreter, h.Arg = text[:i], strings.Trim(text[i:], " \t")
	} else {
		h.Interpreter = text
	}
	if h.Interpreter == "" {
		h.Kind = Text // ENOEXEC, and a shell takes the line for a comment
	}
	return h
}

// EnvProgram returns the program that "#!/usr/bin/env program" looks up in PATH, empty where the shebang is not of this form or the
// program cannot be told.
func (h Head) EnvProgram() string {
	if h.Kind != Shebang || !strings.HasSuffix(h.Interpreter, "/env") {
		return ""
	}
	arg := h.Arg
	if rest, ok := strings.CutPrefix(arg, "-S"); ok {
		arg = strings.TrimLeft(rest, " \t")
		if f := strings.Fields(arg); len(f) > 0 {
			arg = f[0]
		}
	}
	arg = strings.TrimSuffix(arg, "\r")
	// An option, a variable or something to expand is env's own matter.
	if arg == "" || arg[0] == '-' || strings.ContainsAny(arg, "='\"$\\ \t") {
		return ""
	}
	return arg
}
