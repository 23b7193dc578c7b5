package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is how many bytes one element of a path may have on common file systems.
const longestName = 255

// split cuts an entry's name into its elements, or says what is wrong with it.
func split(name string, lim Limits) ([]string, string) {
	if strings.HasPrefix(name, "/") {
		return nil, ProblemEscapes
	}
	if len(name) > lim.Path || strings.ContainsRune(name, 0) {
		return nil, ProblemName
	}
	elems := elements(name)
	if slices.Contains(elems, "..") {
		return nil, ProblemEscapes
	}
	if len(elems) > lim.Depth {
		return nil, ProblemName
	}
	return elems, ""
}

// names gives each name of an archive a name on the host, always the same one for the same archive.
type names struct {
	fold, windows bool
	taken         map[string]string // host path, folded -> the archive's element that has it
	left          int64             // bytes that taken may still grow by
}

func newNames(fold, windows bool, budget int64) *names {
	return &names{fold: fold, windows: windows, taken: map[string]string{}, left: budget}
}

// place gives the path on the host for elems below base, and whether its last element was changed. It fails when even
// the changed name is taken by another entry, or when the names are too many.
func (n *names) place(base string, elems []string) (host string, renamed, ok bool) {
	host = base
	for _, elem := range elems {
		mine := hostName(elem, n.windows)
		if !n.take(host, mine, elem) {
			mine = marked(mine, elem)
			if !n.take(host, mine, elem) {
				return "", false, false
			}
		}
		renamed = mine != elem
		host = path.Join(host, mine)
	}
	return host, renamed, true
}

func (n *names) take(parent, mine, elem string) bool {
	key := parent + "/" + mine
	if n.fold {
		key = foldCase(key)
	}
	owner, there := n.taken[key]
	if there {
		return owner == elem
	}
	if n.left -= int64(len(key)); n.left < 0 {
		return false
	}
	n.taken[key] = elem
	return true
}

// foldCase maps all spellings of a text that differ in case only to one.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, s)
}

// hostName is elem if the host can hold it, else something like it with a mark made from it.
func hostName(elem string, windows bool) string {
	clean := strings.ToValidUTF8(elem, "_")
	if windows {
		clean = windowsName(clean)
	}
	if clean == elem && len(elem) <= longestName {
		return elem
	}
	return marked(clean, elem)
}

// marked is name, shortened if need be, with the first eight hex digits of the SHA-256 of elem.
func marked(name, elem string) string {
	sum := sha256.Sum256([]byte(elem))
	return cut(name, longestName-9) + "~" + hex.EncodeToString(sum[:4])
}

// windowsName replaces what Windows does not take in a name (Microsoft, "Naming Files, Paths, and Namespaces").
func windowsName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, s)
	if trimmed := strings.TrimRight(s, " ."); trimmed != s {
		s = trimmed + "_"
	}
	stem, _, _ := strings.Cut(strings.ToUpper(s), ".")
	switch stem = strings.TrimRight(stem, " "); {
	case stem == "CON", stem == "PRN", stem == "AUX", stem == "NUL", stem == "CONIN$", stem == "CONOUT$":
		return "_" + s
	case len(stem) > 3 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && utf8.RuneCountInString(stem) == 4:
		return "_" + s
	}
	return s
}

// cut shortens s to at most n bytes without cutting a character in two.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
