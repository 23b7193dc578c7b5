// Package junit writes what a run came to as JUnit XML, the form that CI servers read.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/seatrial/seatrial/orchestrator"
)

// Options say what counts as passed.
type Options struct {
	// PassBar is the least score of a trial that has passed.
	PassBar float64
}

// Write writes a run as XML: a suite for each runner, in it a test case for each trial. A complete trial whose score is below the pass bar is a failure, an
// incomplete one an error, and one that was not run or has no score is skipped. The output is well-formed XML 1.0 in UTF-8, whatever the record holds.
func Write(w io.Writer, rec *orchestrator.RunRecord, o Options) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(document(rec, o)); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	return nil
}
