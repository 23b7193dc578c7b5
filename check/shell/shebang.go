package shell

import (
	"path"
	"strings"
)

// Shebang is the first line of a script that says what runs it.
type Shebang struct {
	// Path is what follows "#!" up to the first blank; Args is the rest as the kernel hands it on: one argument, or empty.
	Path, Arg string
}

// ReadShebang reads the first line of a script; there is none when it does not start with "#!".
func ReadShebang(text []byte) (s Shebang, found bool) {
	line, _, _ := strings.Cut(string(text[:min(len(text), 512)]), "\n")
	rest, found := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "#!")
	if !found {
		return Shebang{}, false
	}
	rest = strings.Trim(rest, " \t")
	i := strings.IndexAny(rest, " \t")
	if i < 0 {
		return Shebang{Path: rest}, true
	}
	return Shebang{Path: rest[:i], Arg: strings.TrimLeft(rest[i:], " \t")}, true
}

// Program is the name of what runs the script in the end, without its folder: what env looks for, where that is env.
func (s Shebang) Program() string {
	name := path.Base(s.Path)
	if name != "env" {
		return name
	}
	for w := range strings.FieldsSeq(strings.TrimPrefix(s.Arg, "-S")) {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return path.Base(w)
		}
	}
	return name
}

// Errexit says whether the line itself asks for set -e.
func (s Shebang) Errexit() bool {
	for w := range strings.FieldsSeq(s.Arg) {
		if len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "e") && w != "-S" && strings.Trim(w[1:], "abefhknpuvxBCEHPT") == "" {
			return true
		}
	}
	return false
}

// DialectOf tells the dialect that a script is in by its first line; None when it is no shell script.
func DialectOf(text []byte) Dialect {
	s, found := ReadShebang(text)
	if !found {
		return Unknown
	}
	switch s.Program() {
	case "sh", "dash", "ash":
		return POSIX
	case "busybox":
		if strings.HasPrefix(s.Arg, "sh") || strings.HasPrefix(s.Arg, "ash") {
			return POSIX
		}
	case "bash":
		return Bash
	case "ksh", "mksh", "ksh93":
		return Korn
	case "zsh":
		return Zsh
	}
	return None
}
