package format

import "fmt"

// DecodeError is a text that is not in its format.
type DecodeError struct {
	Format Format
	Line   int // from 1; 0 when the format has no lines
	What   string
	Cause  error // may be nil
}

// Error names the format, the line and what is wrong there.
func (e *DecodeError) Error() string {
	text := string(e.Format)
	if e.Line > 0 {
		text += fmt.Sprintf(": line %d", e.Line)
	}
	text += ": " + e.What
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *DecodeError) Unwrap() error { return e.Cause }

// EncodeError is a value that the format cannot carry.
type EncodeError struct {
	Format Format
	What   string
}

// Error names the format and what it cannot carry.
func (e *EncodeError) Error() string { return string(e.Format) + ": " + e.What }

// NumberError is a text that is no number, or one that is out of range.
type NumberError struct{ Text string }

// Error quotes the text.
func (e *NumberError) Error() string { return fmt.Sprintf("%q is no number within range", e.Text) }

// DepthError is a value that is nested too deeply.
type DepthError struct{}

// Error says how deep is too deep.
func (e *DepthError) Error() string { return fmt.Sprintf("nested more than %d levels deep", MaxDepth) }

// TypeError is a Go value that is no JSON value.
type TypeError struct{ Type string }

// Error names the type.
func (e *TypeError) Error() string { return e.Type + " is no JSON value" }
