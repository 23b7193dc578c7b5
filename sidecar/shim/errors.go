package shim

import "fmt"

// LostError says that the helper's stream ended before its report: the helper was killed, or the connection to the
// engine broke. What the command came to is unknown, and processes of it may still run.
type LostError struct {
	// Bytes is how much of the stream arrived.
	Bytes int64
	// Err is the error that ended the stream, nil for a plain end.
	Err error
}

// Error says what happened and what it means.
func (e *LostError) Error() string {
	why := "the stream ended"
	if e.Err != nil {
		why = e.Err.Error()
	}
	return fmt.Sprintf("the helper in the container ended without a report after %d bytes (%s); "+
		"its command's end is unknown, so the container must be restarted before it is used again", e.Bytes, why)
}

// Unwrap returns the error that ended the stream.
func (e *LostError) Unwrap() error { return e.Err }

// ProtocolError says that the helper's stream held something that no helper writes.
type ProtocolError struct {
	// Offset is where in the stream the broken frame began, in bytes.
	Offset int64
	// Detail says what was found.
	Detail string
}

// Error says what was found and where.
func (e *ProtocolError) Error() string {
	return fmt.Sprintf("the helper's stream holds %s at byte %d; something else wrote into it, "+
		"so the container must be restarted before it is used again", e.Detail, e.Offset)
}
