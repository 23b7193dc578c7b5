package task

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Position is a place in a text file. Both counts start at 1 and columns count bytes; the zero value is no place.
type Position struct {
	Line, Column int
}

// ConfigError is one thing that is wrong with a task, found before anything runs.
type ConfigError struct {
	// File is the file or folder at fault, below the path that the caller gave.
	File string
	// Line and Column start at 1; both are 0 when the fault is not at one place in the file.
	Line, Column int
	// Key is the path of the key, such as "agent.timeout_sec" or "steps[1].name"; empty when no key is at fault.
	Key string
	// Value is the value as the file writes it, shortened; empty when it has none or none worth showing.
	Value string
	// Code is set where a fault has a name of its own, such as LineEndings.
	Code Code
	// What says what is wrong. It is empty when Want says all.
	What string
	// Want says which values are right, so that it can follow "must be".
	Want string
	// Belongs lists tables in which a key of this name is known, such as "[agent]".
	Belongs []string
	// Near is the path of the known key that is most like this one.
	Near string
}

// Error returns the problem on one line in the form "file:line:column: key = value: what is wrong".
func (e *ConfigError) Error() string {
	var b strings.Builder
	b.WriteString(printable(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Key != "" {
		b.WriteString(e.Key)
		if e.Value != "" {
			b.WriteString(" = " + e.Value)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.text())
	return b.String()
}

func (e *ConfigError) text() string {
	parts := make([]string, 0, 4)
	if e.What != "" {
		parts = append(parts, e.What)
	}
	if e.Want != "" {
		parts = append(parts, "must be "+e.Want)
	}
	if len(e.Belongs) > 0 {
		parts = append(parts, "a key of this name belongs in "+strings.Join(e.Belongs, ", "))
	}
	if e.Near != "" {
		parts = append(parts, "did you mean "+e.Near+"?")
	}
	return strings.Join(parts, "; ")
}

// Text says what is wrong, without the place and the key.
func (e *ConfigError) Text() string { return e.text() }

// Problems holds everything that is wrong with one task, sorted by file and place. It is the error that Load and
// Parse return; errors.As finds it, and each *ConfigError in it.
type Problems []*ConfigError

// Error returns one line for each problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, e := range p {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems one by one.
func (p Problems) Unwrap() []error {
	errs := make([]error, len(p))
	for i, e := range p {
		errs[i] = e
	}
	return errs
}

// err returns p sorted, or nil when there is no problem.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b *ConfigError) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return p
}

// Code names a kind of warning. Codes are stable; messages are not.
type Code string

// The kinds of warning.
const (
	UnknownKey     Code = "unknown_key"     // a key that nothing reads, under lax reading
	MisplacedKey   Code = "misplaced_key"   // a known key under [metadata], where it does nothing
	IgnoredKey     Code = "ignored_key"     // a known key that has no effect here
	CoercedValue   Code = "coerced_value"   // a value of another type was converted
	SchemaVersion  Code = "schema_version"  // a schema version other than 1.0 to 1.4
	ByteOrderMark  Code = "byte_order_mark" // a file starts with a byte order mark
	MissingFolder  Code = "missing_folder"  // environment/ is missing but a prebuilt image stands in
	MissingScript  Code = "missing_script"  // a separate verifier's folder holds no test script
	UnreadFile     Code = "unread_file"     // a file whose name is nearly one that is read
	NoShebang      Code = "no_shebang"      // a script does not start with "#!"
	LineEndings    Code = "line_endings"    // a script has Windows line endings after line 1
	ScoringInvalid Code = "scoring_invalid" // a scoring specification, or what it names, is wrong
	HiddenExitCode Code = "hidden_exit"     // a pipe hides the exit code that decides the reward
)

// Warning is something in a task that is read as it stands but is probably not meant.
type Warning struct {
	Code    Code
	Message string
	// File is the file or folder, below the path that the caller gave.
	File string
	// Line starts at 1 and is 0 when the warning is not about one line.
	Line int
	// Key is the path of the key that the warning is about, if any.
	Key string
}

// String returns the warning on one line.
func (w Warning) String() string {
	s := printable(w.File)
	if w.Line > 0 {
		s += ":" + strconv.Itoa(w.Line)
	}
	if w.Key != "" {
		s += ": " + w.Key
	}
	return s + ": " + w.Message
}

// printable returns s, quoted when it holds anything that would break a line or a terminal.
func printable(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// clip shortens s to about 60 bytes on one line, for messages.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	if p := printable(s); p != s {
		return p[1 : len(p)-1]
	}
	return s
}
