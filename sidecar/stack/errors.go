package stack

import (
	"fmt"
	"strings"
)

// ProblemsError holds everything that is wrong with a compose file, in the order of the file. Each problem is an
// *UnsupportedError, *NotAllowedError, *VariableError or *InvalidError.
type ProblemsError struct {
	File     string
	Problems []error
}

// Error gives one line for each problem.
func (e *ProblemsError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the problems to errors.As.
func (e *ProblemsError) Unwrap() []error { return e.Problems }

// UnsupportedError is a compose key, or a value of one, that the tool does not honour.
type UnsupportedError struct {
	Place   Place
	Nearest string // the known key that is probably meant, or empty
	Reason  string // why, or what to do instead; may be empty
}

// Error names the place and the nearest known key or the reason.
func (e *UnsupportedError) Error() string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("%s: unknown key; did you mean %q?", e.Place, e.Nearest)
	case e.Reason != "":
		return printable(fmt.Sprintf("%s: not supported: %s", e.Place, e.Reason))
	}
	return e.Place.String() + ": not supported: this key is not honoured, so the task would run differently; remove it"
}

// NotAllowedError is something that needs a permission which was not given.
type NotAllowedError struct {
	Place      Place
	Permission Permission
	Reason     string // what the file asks for
}

// Error names the place, what was asked for and the flag that allows it.
func (e *NotAllowedError) Error() string {
	return printable(fmt.Sprintf("%s: %s; refused unless run with --allow %s", e.Place, e.Reason, e.Permission))
}

// VariableError is a reference to a variable that is neither declared nor given a default.
type VariableError struct {
	Place  Place
	Name   string
	OnHost bool   // the host has such a variable, but it is not handed to tasks
	Reason string // the text of ${NAME:?text}, or empty
}

// Error names the place, the variable and how to declare it.
func (e *VariableError) Error() string {
	text := fmt.Sprintf("%s: variable %s is not declared", e.Place, e.Name)
	if e.OnHost {
		text += " (the host has it, but a task gets no host variable that it does not declare)"
	}
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return printable(text + fmt.Sprintf("; declare %s in [environment.env] of task.toml or with --compose-env", e.Name))
}

// InvalidError is a compose file that contradicts itself or the compose specification.
type InvalidError struct {
	Place  Place
	Reason string
	Cause  error // may be nil
}

// Error names the place and what is wrong there.
func (e *InvalidError) Error() string {
	if e.Cause != nil {
		return printable(fmt.Sprintf("%s: %s: %v", e.Place, e.Reason, e.Cause))
	}
	return printable(fmt.Sprintf("%s: %s", e.Place, e.Reason))
}

// Unwrap gives the cause.
func (e *InvalidError) Unwrap() error { return e.Cause }

// UnknownPermissionError is a name after --allow that means nothing.
type UnknownPermissionError struct {
	Name, Nearest string
}

// Error lists the known names.
func (e *UnknownPermissionError) Error() string {
	if e.Nearest != "" {
		return fmt.Sprintf("--allow %s: unknown; did you mean %q?", e.Name, e.Nearest)
	}
	names := make([]string, 0, len(Permissions()))
	for _, p := range Permissions() {
		names = append(names, string(p))
	}
	return fmt.Sprintf("--allow %s: unknown; the names are %s", e.Name, strings.Join(names, ", "))
}
