package evidence

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Evidence is a folder that has been checked: each file is as the fakes left it.
type Evidence struct {
	Dir      string
	Manifest Manifest
	Done     Done
}

// Bounds of what is read.
const (
	maxState = 1 << 30
	maxLine  = 64 << 20
)

// Open reads the folder and checks every file against done.json. The error is a *MissingError, *MismatchError or
// *InvalidError.
func Open(dir string) (*Evidence, error) {
	e := &Evidence{Dir: dir}
	if err := e.decode(DoneFile, &e.Done); err != nil {
		return nil, err
	}
	if e.Done.Version != Version {
		return nil, &InvalidError{Dir: dir, File: DoneFile, Cause: fmt.Errorf("version %d is not known; this program reads version %d", e.Done.Version, Version)}
	}
	needed := append(streams(), ManifestFile, InitialFile, FinalFile)
	for _, step := range e.Done.Steps {
		needed = append(needed, stepFile(step))
	}
	counts := map[string]int64{
		CallsFile: e.Done.Calls, OutboundFile: e.Done.Outbound, ViolationsFile: e.Done.Violations, RefusedFile: e.Done.Refused,
	}
	for _, name := range needed {
		want, listed := e.Done.Files[name]
		if !listed {
			return nil, &MismatchError{Dir: dir, File: DoneFile, What: "it has no hash of " + name}
		}
		sum, lines, err := e.sum(name)
		if err != nil {
			return nil, err
		}
		if sum != want {
			return nil, &MismatchError{Dir: dir, File: name, What: "its hash is not that in " + DoneFile}
		}
		if n, counted := counts[name]; counted && n != lines {
			return nil, &MismatchError{Dir: dir, File: name, What: fmt.Sprintf("it has %d lines, and %s says %d", lines, DoneFile, n)}
		}
	}
	if err := e.decode(ManifestFile, &e.Manifest); err != nil {
		return nil, err
	}
	return e, nil
}

// open gives a plain file of the folder; links are not followed.
func (e *Evidence) open(name string) (*os.File, error) {
	root, err := os.OpenRoot(e.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{Dir: e.Dir, File: name}
	}
	if err != nil {
		return nil, &InvalidError{Dir: e.Dir, File: name, Cause: err}
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &MissingError{Dir: e.Dir, File: name}
	case err != nil:
		return nil, &InvalidError{Dir: e.Dir, File: name, Cause: err}
	case !info.Mode().IsRegular():
		return nil, &InvalidError{Dir: e.Dir, File: name, Cause: errors.New("it is no plain file")}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, &InvalidError{Dir: e.Dir, File: name, Cause: err}
	}
	return f, nil
}

func (e *Evidence) sum(name string) (string, int64, error) {
	f, err := e.open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	count := &lineCounter{}
	if _, err := io.Copy(io.MultiWriter(h, count), f); err != nil {
		return "", 0, &InvalidError{Dir: e.Dir, File: name, Cause: err}
	}
	return hex.EncodeToString(h.Sum(nil)), count.lines, nil
}

type lineCounter struct{ lines int64 }

func (c *lineCounter) Write(p []byte) (int, error) {
	c.lines += int64(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

func (e *Evidence) read(name string) ([]byte, error) {
	f, err := e.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxState+1))
	if err == nil && len(data) > maxState {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, &InvalidError{Dir: e.Dir, File: name, Cause: err}
	}
	return data, nil
}

func (e *Evidence) decode(name string, to any) error {
	data, err := e.read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return &InvalidError{Dir: e.Dir, File: name, Cause: err}
	}
	return nil
}

// lines hands each line of a stream to yield, until that returns an error.
func (e *Evidence) lines(name string, yield func(line []byte) error) error {
	return e.scan(name, bufio.ScanLines, yield)
}

func (e *Evidence) scan(name string, split bufio.SplitFunc, yield func(line []byte) error) error {
	f, err := e.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(make([]byte, 0, 64<<10), maxLine)
	scan.Split(split)
	for n := 1; scan.Scan(); n++ {
		if err := yield(scan.Bytes()); err != nil {
			var syntax *json.SyntaxError
			var kind *json.UnmarshalTypeError
			if errors.As(err, &syntax) || errors.As(err, &kind) {
				return &InvalidError{Dir: e.Dir, File: name, Line: n, Cause: err}
			}
			return err
		}
	}
	if err := scan.Err(); err != nil {
		return &InvalidError{Dir: e.Dir, File: name, Cause: err}
	}
	return nil
}
