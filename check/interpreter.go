package check

import (
	"path"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// first looks at the line of a script that says what runs it.
func (l *looking) first(s *script) {
	if !s.marked || !s.direct || s.first.Path == "" && s.first.Arg == "" || strings.Contains(string(firstLine(s.text)), "\r") {
		return
	}
	f := Finding{Code: "missing_interpreter", File: s.rel, Line: 1}
	p := s.first.Path
	program := s.first.Program()
	image := l.imageWhere(s)
	switch {
	case strings.Contains(p, `\`) || len(p) > 1 && p[1] == ':':
		f.Message = p + " is a path of Windows, and the container runs Linux"
		f.Remedy = "Write the interpreter's path in the container, such as /bin/bash."
	case !strings.HasPrefix(p, "/"):
		f.Message = "the interpreter " + clip(p) + " is not an absolute path"
		f.Remedy = "Write it in full, such as #!/bin/bash or #!/usr/bin/env bash."
	case path.Base(p) == "env" && strings.Contains(s.first.Arg, " ") && !strings.HasPrefix(s.first.Arg, "-"):
		f.Message = "env gets " + clip(s.first.Arg) + " as one word, and looks for a program of that name"
		f.Remedy = "Write #!/usr/bin/env -S before several words."
	case unknown(program) != "" && systemPath(p) && (image == nil || !image.mentions(strings.ToLower(program))):
		f.Message = "there is hardly a program " + clip(program) + "; did you mean " + unknown(program) + "?"
	default:
		l.absent(f, program, image)
		return
	}
	l.say(f)
}

func firstLine(text []byte) []byte {
	line, _, _ := strings.Cut(string(text[:min(len(text), 512)]), "\n")
	return []byte(line)
}

// imageWhere reads the Dockerfile of the image that a script runs in.
func (l *looking) imageWhere(s *script) *image {
	if s.phase == phaseTests {
		return l.imageOf(s.parts[0])
	}
	return l.mainImage()
}

// absent tells of an interpreter that the image does not bring along.
func (l *looking) absent(f Finding, program string, m *image) {
	if m == nil {
		return
	}
	_, tag, _ := strings.Cut(path.Base(m.base), ":")
	small := m.is("alpine", "busybox")
	var lacks bool
	switch {
	case program == "bash":
		lacks = (small || strings.Contains(tag, "alpine")) && !m.mentions("bash")
	case strings.HasPrefix(program, "python"):
		lacks = (small || m.is("debian", "ubuntu")) && !m.mentions("python") && !m.mentions("conda") && !m.mentions("uv ") && !m.mentions("/uv")
	}
	if !lacks {
		return
	}
	f.Message = "the script wants " + program + ", which " + m.base + " does not have, and nothing in the Dockerfile names it"
	if !m.bare() || !small && program == "bash" {
		f.Severity = Warning
	}
	l.say(f)
}

func systemPath(p string) bool {
	return slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"}, path.Dir(p))
}

// unknown is the program that a name was probably meant to be, when no program of that name is known; else "".
func unknown(name string) string {
	known := []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "luajit", "awk", "gawk", "mawk", "nawk", "sed",
		"make", "env", "busybox", "tclsh", "wish", "expect", "pwsh", "Rscript", "julia", "java", "groovy", "scala", "guile", "racket", "clojure", "elixir", "escript", "swift", "runhaskell", "ocaml", "tsx", "ts-node", "uv", "bats",
		"rbash", "yash", "osh", "elvish", "nu", "xonsh", "jq", "gnuplot", "octave", "sqlite3", "psql", "dotnet", "crystal", "perl6", "raku", "true", "false", "cat", "timeout", "nix-shell", "pytest", "ipython", "dash-static", "static-sh", "sbcl", "clisp", "rust-script", "go", "dart"}
	short := strings.TrimRight(name, "0123456789.")
	if slices.Contains(known, name) || slices.Contains(known, short) {
		return ""
	}
	return nearest.Of(short, known)
}

// clip shortens what a file says for a message.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
