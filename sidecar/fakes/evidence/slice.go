package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Slice writes the evidence of one step alone to the folder to, as if the world had begun with the step and ended with it: its first state is the one at the
// end of the step before, and the journals have what was called in it. The folder from is that of fakes that may still be playing; it needs no done.json.
// The step has the number n, counted from 1; before is the name of the one before, or empty.
func Slice(from, to string, n int, before, name string) error {
	src := &Evidence{Dir: from}
	if err := src.decode(ManifestFile, &src.Manifest); err != nil {
		return err
	}
	first := InitialFile
	if before != "" {
		first = stepFile(before)
	}
	initial, err := src.state(first)
	if err != nil {
		return err
	}
	final, err := src.state(stepFile(name))
	if err != nil {
		return err
	}
	w, err := Create(to)
	if err != nil {
		return err
	}
	if err := w.Begin(src.Manifest, initial); err != nil {
		w.close()
		return err
	}
	if err := src.journals(w, n); err != nil {
		w.close()
		return err
	}
	return w.Finish(final)
}

// journals copies the lines of one step. Effects and violations are those of its calls.
func (e *Evidence) journals(w *Writer, n int) error {
	calls := map[int64]bool{}
	err := e.whole(CallsFile, w.Calls(), func(line []byte) (bool, error) {
		var c struct {
			Seq  int64 `json:"seq"`
			Step int   `json:"step"`
		}
		err := json.Unmarshal(line, &c)
		if c.Step == n {
			calls[c.Seq] = true
		}
		return c.Step == n, err //nolint:wrapcheck // the caller says where
	})
	ofCall := func(line []byte) (bool, error) {
		var c struct {
			Seq int64 `json:"seq"`
		}
		err := json.Unmarshal(line, &c)
		return calls[c.Seq], err //nolint:wrapcheck // the caller says where
	}
	return errors.Join(err, e.whole(OutboundFile, w.Outbound(), ofCall), e.whole(ViolationsFile, w.Violations(), ofCall))
}

// whole copies the lines that are wanted. A last line without an end is still being written, and belongs to what comes later.
func (e *Evidence) whole(name string, to io.Writer, wanted func(line []byte) (bool, error)) error {
	return e.scan(name, ended, func(line []byte) error {
		if ok, err := wanted(line); err != nil || !ok {
			return err
		}
		if _, err := to.Write(line); err != nil {
			return fmt.Errorf("writing the evidence: %w", err)
		}
		return nil
	})
}

// ended gives lines with their ends, and none without.
func ended(data []byte, _ bool) (int, []byte, error) {
	i := bytes.IndexByte(data, '\n')
	if i < 0 {
		return 0, nil, nil
	}
	return i + 1, data[:i+1], nil
}
