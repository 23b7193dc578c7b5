package orchestrator

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxRun bounds a run.json that is read, in bytes.
const maxRun = 256 << 20

// ReadRun reads the record of a run. path is the run's folder, a link to it, or the file itself. A record of a newer schema version is refused, and a run.json that leads out of
// its folder is not followed. The error is a *UsageError.
func ReadRun(path string) (*RunRecord, error) {
	data, err := readRunFile(path)
	if err != nil {
		return nil, &UsageError{Cause: err}
	}
	r, err := DecodeRun(data)
	if err != nil {
		return nil, &UsageError{Cause: fmt.Errorf("%s cannot be used: %w", path, err)}
	}
	return r, nil
}

func readRunFile(path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("no run at %s: %w", path, bare(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, fmt.Errorf("no run at %s: %w", path, bare(err))
	}
	dir, name := filepath.Dir(real), filepath.Base(real)
	if info.IsDir() {
		dir, name = real, "run.json"
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that nobody writes to must not hold us
	if err != nil {
		return nil, fmt.Errorf("%s has no run.json that can be read: %w", path, bare(err))
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: run.json is not a regular file", path)
	}
	if info.Size() > maxRun {
		return nil, fmt.Errorf("%s cannot be used: it is larger than %d MiB", path, maxRun>>20)
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data) // what is written to it meanwhile does not count
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return data[:n], nil
}

// bare is the cause alone, for messages that name the path themselves.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// DecodeRun reads the text of a run.json. What it gives has cases with ids and known statuses; a score stands only where a case is complete.
func DecodeRun(data []byte) (*RunRecord, error) {
	var r RunRecord
	if err := decodeRecord(data, RunFormat, &r); err != nil {
		return nil, err
	}
	if r.Format != RunFormat || r.SchemaVersion < 1 || r.SchemaVersion > SchemaVersion { // a key twice: the head has the first, this the last
		return nil, fmt.Errorf("it is of format %q and schema version %d, which never was", r.Format, r.SchemaVersion)
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.ID == "" {
			return nil, fmt.Errorf("it does not fit its schema: case %d has no id", i+1)
		}
		if err := c.known(); err != nil {
			return nil, fmt.Errorf("it does not fit its schema: case %q: %w", c.ID, err)
		}
		for j := range c.Trials {
			if err := c.Trials[j].known(); err != nil {
				return nil, fmt.Errorf("it does not fit its schema: case %q: trial %d: %w", c.ID, j+1, err)
			}
		}
	}
	return &r, nil
}

// known says what of a case is not as the schema has it.
func (c *Case) known() error {
	switch {
	case c.Status != Complete && c.Status != Incomplete:
		return fmt.Errorf("its status is %q", c.Status)
	case c.Status == Incomplete && c.Score != nil:
		return errors.New("it is incomplete and has a score")
	}
	return nil
}
