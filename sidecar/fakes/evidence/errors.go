package evidence

import (
	"fmt"
	"strings"
)

// MissingError is evidence that is not there, or not whole: a file of it is missing.
type MissingError struct{ Dir, File string }

// Error names the file and what its absence means.
func (e *MissingError) Error() string {
	if e.File == DoneFile {
		return fmt.Sprintf("%s: %s is missing, so the fakes have not finished and there is no evidence", e.Dir, e.File)
	}
	return fmt.Sprintf("%s: %s is missing from the evidence of the fakes", e.Dir, e.File)
}

// MismatchError is evidence that is not as the fakes left it.
type MismatchError struct {
	Dir, File string
	What      string
}

// Error names the file and what does not fit.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s: %s is not as the fakes left it: %s", e.Dir, e.File, e.What)
}

// InvalidError is a file that cannot be read as evidence.
type InvalidError struct {
	Dir, File string
	Line      int // 0 when unknown
	Cause     error
}

// Error names the place and the cause.
func (e *InvalidError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: %s:%d: %v", e.Dir, e.File, e.Line, e.Cause)
	}
	return fmt.Sprintf("%s: %s: %v", e.Dir, e.File, e.Cause)
}

// Unwrap gives the cause.
func (e *InvalidError) Unwrap() error { return e.Cause }

// NoServersError is a check over no servers at all: it would pass whatever happened.
type NoServersError struct{ Dir string }

// Error says so.
func (e *NoServersError) Error() string {
	return e.Dir + ": the manifest names no servers, so there is nothing to check"
}

// UnknownError is a name that the manifest does not have.
type UnknownError struct {
	What, Name string
	Known      []string
}

// Error lists the known names.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no %s %q in the manifest; there are %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// ExistsError is a folder that holds evidence already.
type ExistsError struct{ Dir, File string }

// Error names the folder.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s holds evidence of an earlier run (%s); choose another folder", e.Dir, e.File)
}

// StepNameError is a name that no step can have.
type StepNameError struct{ Name string }

// Error quotes the name.
func (e *StepNameError) Error() string {
	return fmt.Sprintf("%q is no name of a step: at most 128 letters, digits, \"-\", \"_\" and \".\", each name once", e.Name)
}
