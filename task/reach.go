package task

import (
	"errors"
	"io/fs"
	"slices"
)

func (l *loading) dir(rel string) bool  { return l.has(rel, fs.FileMode.IsDir, "a folder") }
func (l *loading) file(rel string) bool { return l.has(rel, fs.FileMode.IsRegular, "a file") }

func (l *loading) maybeDir(rel string) string {
	if l.dir(rel) {
		return rel
	}
	return ""
}

// has reports whether there is something of the wanted kind at rel. Something of another kind is a problem, reported
// here.
func (l *loading) has(rel string, is func(fs.FileMode) bool, want string) bool {
	_, err := l.root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return false
	}
	info, statErr := l.root.Stat(rel)
	switch {
	case err != nil:
		l.once(rel, "cannot be reached without leaving the task's folder: "+cause(err))
	case statErr != nil:
		l.once(rel, "is a link that leads nowhere or out of the task's folder")
	case !is(info.Mode()):
		l.once(rel, "must be "+want)
	default:
		return true
	}
	return false
}

// missing reports that a file is not there, unless it is known what is wrong with it.
func (l *loading) missing(rel, what string) {
	shown := l.path(rel)
	if !slices.ContainsFunc(l.problems, func(e *ConfigError) bool { return e.File == shown }) {
		l.fault(rel, what)
	}
}

// once reports a fault of a file that several parts share.
func (l *loading) once(rel, what string) {
	shown := l.path(rel)
	if !slices.ContainsFunc(l.problems, func(e *ConfigError) bool { return e.File == shown && e.What == what }) {
		l.fault(rel, what)
	}
}
