package world

import "fmt"

// failure is an answer by which the real server would say no.
type failure struct {
	text      string
	status    int
	code      string
	rpc       int
	unflagged bool
	body      any // with hasBody
	hasBody   bool
}

// Error gives the text.
func (f *failure) Error() string { return f.text }

// ViolationKind says how a fake broke its contract.
type ViolationKind string

// The kinds of violations.
const (
	WriteMap     ViolationKind = "write_map"     // a change of an entity that the write map does not have
	OutputSchema ViolationKind = "output_schema" // an answer that does not fit
	RowSchema    ViolationKind = "row_schema"    // a row that does not fit
	BadID        ViolationKind = "bad_id"        // an id that is none, is taken, or was changed
	Program      ViolationKind = "program"       // an expression or a handler failed
	AnswerFormat ViolationKind = "answer_format" // an answer that the format cannot carry
)

// violation is a breach of the fake's own contract.
type violation struct {
	kind  ViolationKind
	what  string
	cause error
}

// Error says what was broken.
func (v *violation) Error() string {
	if v.cause != nil {
		return v.what + ": " + v.cause.Error()
	}
	return v.what
}

// Unwrap gives the cause.
func (v *violation) Unwrap() error { return v.cause }

func broken(kind ViolationKind, format string, args ...any) error {
	return &violation{kind: kind, what: fmt.Sprintf(format, args...)}
}
