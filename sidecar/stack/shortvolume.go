package stack

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// isVolumes says whether path is the volumes list of a service.
func isVolumes(path []string) bool {
	return len(path) == 3 && path[0] == "services" && path[2] == "volumes"
}

// shortVolume reads "SOURCE:TARGET:OPTIONS" into the long form. It is split before variables are replaced, so that a
// colon in a folder's name does no harm.
func (t *reader) shortVolume(n *yaml.Node, path []string) (any, bool) {
	at := t.report.at(path...)
	at.Line, at.Column = n.Line, n.Column
	parts := splitVolume(n.Value)
	for i, p := range parts {
		text, hidden, ok := t.expand(p, at)
		if !ok {
			return nil, false
		}
		if hidden {
			t.hide(path, text)
		}
		parts[i] = text
	}
	if len(parts) == 1 {
		parts = splitVolume(parts[0]) // one variable may hold it all
	}
	if len(parts) > 3 {
		t.report.invalid(at, "has more than two colons; write the long form: {type: bind, source: ..., target: ...}")
		return nil, false
	}
	if slices.Contains(parts, "") {
		if !t.failed {
			t.report.invalid(at, "has an empty part; the form is SOURCE:TARGET or SOURCE:TARGET:ro")
		}
		return nil, false
	}
	volume := map[string]any{"type": "volume", "target": parts[len(parts)-1]}
	if len(parts) > 1 {
		volume["source"], volume["target"] = parts[0], parts[1]
		if strings.ContainsRune("./~", rune(parts[0][0])) {
			volume["type"] = "bind"
		}
	}
	if len(parts) == 3 {
		for option := range strings.SplitSeq(parts[2], ",") {
			if !t.volumeOption(volume, option, at) {
				return nil, false
			}
		}
	}
	return volume, true
}

// volumeOption puts one option into the long form, reporting an unknown one.
func (t *reader) volumeOption(volume map[string]any, option string, at Place) bool {
	switch option {
	case "ro":
		volume["read_only"] = true
	case "rw", "cached", "delegated", "consistent":
	case "nocopy":
		volume["volume"] = map[string]any{"nocopy": true}
	case "z", "Z":
		t.report.warn(at, warnedInService()["volumes.bind.selinux"])
	case "private", "rprivate", "shared", "rshared", "slave", "rslave":
		volume["bind"] = map[string]any{"propagation": option}
	default:
		t.report.unsupported(at, "mount option "+option+" (a path with a colon in it needs the long form)")
		return false
	}
	return true
}

// splitVolume splits at the colons outside ${...}.
func splitVolume(s string) []string {
	var parts []string
	start, open := 0, 0
	for i := range len(s) {
		switch {
		case s[i] == '{' && (open > 0 || i > 0 && s[i-1] == '$'):
			open++
		case s[i] == '}' && open > 0:
			open--
		case s[i] == ':' && open == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
