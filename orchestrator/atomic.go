package orchestrator

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Encode makes the JSON of a record: UTF-8, two-space indent, no HTML escapes, a newline at the end.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a record: %w", err)
	}
	return b.Bytes(), nil
}

// EncodeTo writes what Encode makes of the record, one case after another: no more than one is in memory as text, however many there are.
func (r *RunRecord) EncodeTo(w io.Writer) error {
	frame := *r
	frame.Cases = []Case{}
	data, err := Encode(&frame)
	if err != nil {
		return err
	}
	const none = "\n  \"cases\": []" // a line break is never part of a text, and what is nested stands further in
	before, after, found := bytes.Cut(data, []byte(none))
	if len(r.Cases) == 0 || !found {
		_, err := w.Write(data)
		return err //nolint:wrapcheck // a writer's own
	}
	b := bufio.NewWriterSize(w, 64<<10)
	_, _ = b.Write(before) // what fails is told by the flush
	_, _ = b.WriteString("\n  \"cases\": [")
	var one bytes.Buffer
	enc := json.NewEncoder(&one)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "  ")
	for i := range r.Cases {
		one.Reset()
		if err := enc.Encode(&r.Cases[i]); err != nil {
			return fmt.Errorf("encode case %s: %w", r.Cases[i].ID, err)
		}
		if i > 0 {
			_ = b.WriteByte(',')
		}
		_, _ = b.WriteString("\n    ")
		_, _ = b.Write(bytes.TrimRight(one.Bytes(), "\n "))
	}
	_, _ = b.WriteString("\n  ]")
	_, _ = b.Write(after)
	return b.Flush() //nolint:wrapcheck // a writer's own
}

// writeAtomic replaces a file so that a reader sees the old document or the new one, and so does whoever comes after a power cut.
func writeAtomic(path string, data []byte) error {
	return writeAtomicBy(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err //nolint:wrapcheck // a writer's own
	})
}

// writeAtomicBy does so with what a function writes.
func writeAtomicBy(path string, write func(io.Writer) error) error {
	fail := func(err error) error { return fmt.Errorf("write %s: %w", path, err) }
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fail(err)
	}
	if err = write(f); err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fail(err)
	}
	return nil
}
