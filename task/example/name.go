package example

import (
	"fmt"
	"strings"

	"github.com/seatrial/seatrial/internal/nearest"
)

// MaxName is the most bytes of an example's name.
const MaxName = 64

// NameError says that a name cannot be that of a task or an agent.
type NameError struct {
	Name   string
	Reason string
	// Near is a name like it that can be.
	Near string
}

// Error says why, and offers the nearest good name.
func (e *NameError) Error() string {
	return fmt.Sprintf("the name %q %s; %q is possible", e.Name, e.Reason, e.Near)
}

// KindError says that there is no example of a kind.
type KindError struct{ Kind string }

// Error lists the kinds.
func (e *KindError) Error() string {
	s := fmt.Sprintf("there is no example of %q; the kinds are %s", e.Kind, strings.Join(Kinds(), ", "))
	if near := nearest.Of(e.Kind, Kinds()); near != "" {
		s += "; did you mean " + near + "?"
	}
	return s
}

// CheckName refuses names that would be trouble as a folder's, an image's or a case's: a name has lower-case letters, digits, "-", "_" and ".", begins and
// ends with a letter or digit, and has no two dots side by side. The error is a *NameError.
func CheckName(name string) error {
	bad := func(reason string) error { return &NameError{Name: name, Reason: reason, Near: near(name)} }
	switch {
	case name == "":
		return bad("is empty")
	case len(name) > MaxName:
		return bad(fmt.Sprintf("is longer than %d bytes", MaxName))
	}
	for _, r := range name {
		if !allowed(r) {
			return bad(fmt.Sprintf("has %q in it, and may have lower-case letters, digits, \"-\", \"_\" and \".\"", r))
		}
	}
	switch {
	case !alphanumeric(name[0]) || !alphanumeric(name[len(name)-1]):
		return bad("does not begin and end with a letter or digit")
	case strings.Contains(name, ".."):
		return bad("has two dots side by side")
	}
	return nil
}

func allowed(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
}

func alphanumeric(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// near makes a good name of one that is not.
func near(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if !allowed(r) {
			r = '-'
		}
		last := byte(0)
		if s := b.String(); s != "" {
			last = s[len(s)-1]
		}
		if byte(r) == last && (r == '-' || r == '.') {
			continue
		}
		if b.Len() == MaxName {
			break
		}
		b.WriteRune(r)
	}
	if s := strings.Trim(b.String(), "-_."); s != "" {
		return s
	}
	return "example"
}
