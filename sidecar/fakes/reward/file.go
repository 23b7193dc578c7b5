package reward

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readObject reads a JSON object; a file that is not there, or is empty, is an empty one.
func readObject(path string) (map[string]json.RawMessage, error) {
	object := map[string]json.RawMessage{}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return object, nil
	case err != nil:
		return nil, &FileError{path, err}
	case !info.Mode().IsRegular():
		return nil, &FileError{path, fmt.Errorf("is no regular file (%s)", info.Mode().Type())}
	case info.Size() > maxFile:
		return nil, &FileError{path, errors.New("is larger than 8 MiB")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &FileError{path, err}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, &FileError{path, err}
	}
	if len(data) == 0 {
		return object, nil
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, &FileError{path, fmt.Errorf("is no JSON object: %w", err)}
	}
	if object == nil {
		return nil, &FileError{path, errors.New("is null where an object should be")}
	}
	return object, nil
}

// writeObject replaces a file in one piece.
func writeObject(path string, object map[string]json.RawMessage) error {
	out, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return &FileError{path, err}
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &FileError{path, err}
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return &FileError{path, err}
	}
	_, err = tmp.Write(append(out, '\n'))
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return &FileError{path, errors.Join(err, os.Remove(tmp.Name()))}
	}
	return nil
}
