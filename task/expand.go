package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// patternChars are the characters that make a path a pattern, as filepath.Match reads it.
const patternChars = `*?[\`

// Expand replaces the patterns among paths by what they match, sorted; *, ? and [a-z] match within a part of a path, and no dot at its beginning. A pattern that is
// the path of something stands for that. Of what a pattern matches, those folders are taken that are tasks or hold some, and those files whose names end as the
// pattern does, in .toml or .json. The error, a *NoTaskError, is about a path that is not there or a pattern that matches no task; it names what was probably
// meant.
func Expand(paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		_, err := os.Lstat(path)
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			all = append(all, path) // where it cannot be read, Find says why
		case !strings.ContainsAny(path, patternChars):
			return nil, &NoTaskError{Path: filepath.Clean(path), Reason: "there is no such folder" + didYouMean(path)}
		default:
			matches, err := expand(path)
			if err != nil {
				return nil, err
			}
			all = append(all, matches...)
		}
	}
	return all, nil
}

func expand(pattern string) ([]string, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, &NoTaskError{Path: pattern, Reason: `it is not there, and as a pattern it has a [ without a ], or a \ at its end`}
	}
	var taken []string
	seen, first := 0, ""
	for _, m := range matches {
		if hides(pattern, m) {
			continue
		}
		if seen++; first == "" {
			first = printable(m)
		}
		if standsForTasks(pattern, m) {
			taken = append(taken, m)
		}
	}
	switch {
	case seen == 0:
		return nil, &NoTaskError{Path: pattern, Reason: "the pattern matches nothing" + didYouMean(pattern)}
	case len(taken) == 0:
		return nil, &NoTaskError{Path: pattern, Reason: matched(seen, first)}
	}
	return taken, nil
}

func matched(seen int, first string) string {
	if seen == 1 {
		return "the pattern matches " + first + " alone, which neither is a task nor holds one"
	}
	return fmt.Sprintf("the pattern matches %d names, such as %s, and none is a task or holds one", seen, first)
}

// hides says that a part of the match begins with a dot that the pattern does not spell out, as in a shell.
func hides(pattern, match string) bool {
	parts, names := strings.Split(filepath.Clean(pattern), "/"), strings.Split(filepath.Clean(match), "/")
	for i := range min(len(parts), len(names)) {
		if strings.HasPrefix(names[i], ".") && !strings.HasPrefix(strings.TrimPrefix(parts[i], `\`), ".") {
			return true
		}
	}
	return false
}

// standsForTasks says whether what a pattern matches is taken. What cannot be read is: it may be a task, and a broken one must not be hidden.
func standsForTasks(pattern, match string) bool {
	info, err := os.Stat(match)
	switch {
	case err != nil:
		return errors.Is(err, fs.ErrPermission)
	case !info.IsDir():
		ext := filepath.Ext(match)
		return (ext == ".toml" || ext == ".json") && filepath.Ext(pattern) == ext && filepath.Base(match) != ConfigName
	}
	_, err = findIn(match)
	var none *NoTaskError
	return err == nil || errors.As(err, &none) && none.Err != nil
}

// didYouMean ends a sentence about a path that leads nowhere: it names the nearest that exists beside the first part that does not.
func didYouMean(path string) string {
	path = filepath.Clean(path)
	for {
		dir, base := filepath.Dir(path), filepath.Base(path)
		if dir == path {
			return ""
		}
		if !strings.ContainsAny(dir, patternChars) {
			if entries, err := os.ReadDir(dir); err == nil {
				return nearestEntry(dir, base, entries)
			}
		}
		path = dir
	}
}

func nearestEntry(dir, base string, entries []os.DirEntry) string {
	var names []string
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() || filepath.Ext(e.Name()) == filepath.Ext(base) {
			names = append(names, e.Name())
		}
	}
	if near := nearest.OfPattern(base, names); near != "" {
		return "; did you mean " + printable(filepath.Join(dir, near)) + "?"
	}
	return ""
}
