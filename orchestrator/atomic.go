package orchestrator

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// writeAtomic replaces a file so that a reader sees the old document or the new one, and so does whoever comes after a power cut.
func writeAtomic(path string, data []byte) error {
	fail := func(err error) error { return fmt.Errorf("write %s: %w", path, err) }
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fail(err)
	}
	_, err = f.Write(data)
	if err == nil {
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
