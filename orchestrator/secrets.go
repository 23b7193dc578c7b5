package orchestrator

import "strings"

// Secret returns the value if it must be masked, else nothing: a value whose name says so from four bytes on, and any other that comes from the
// host's environment from eight bytes on, since masking short common words would make logs unreadable.
func Secret(name, value string, fromHost bool) []string {
	switch {
	case SecretName(name) && len(value) >= 4, fromHost && len(value) >= 8:
		return []string{value}
	}
	return nil
}

// SecretName says whether a variable's name tells that its value is a secret.
func SecretName(name string) bool {
	upper := strings.ToUpper(name)
	for _, word := range []string{"KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"} {
		if strings.Contains(upper, word) {
			return true
		}
	}
	return false
}
