package harbor

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
)

// put replaces a file of the job's folder, whatever it is, and only as a whole. It is made beside it under a name of its own, so that nothing that lies there is written through.
func (w *writer) put(name string, v any) error {
	fail := func(err error) error { return fmt.Errorf("write %s/%s: %w", w.folder, name, err) }
	data, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		return fail(err)
	}
	part := name + ".part"
	if err := w.root.Remove(part); err != nil && !os.IsNotExist(err) {
		return fail(err)
	}
	f, err := w.root.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(0o644))
	if err != nil {
		return fail(err)
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = w.root.Rename(part, name)
	}
	if err != nil {
		_ = w.root.Remove(part)
		return fail(err)
	}
	return nil
}
