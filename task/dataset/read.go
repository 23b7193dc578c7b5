package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/seatrial/seatrial/task"
)

// FileError says what is wrong with a file that lists tasks.
type FileError struct {
	File string
	// Line is where; 0 = unknown.
	Line int
	// Key is the path of the key, such as "tasks[2].path"; empty where it is about the whole file.
	Key    string
	Reason string
}

// Error says where and what.
func (e *FileError) Error() string {
	s := task.Printable(e.File)
	if e.Line > 0 {
		s += fmt.Sprintf(":%d", e.Line)
	}
	s += ": "
	if e.Key != "" {
		s += task.Printable(e.Key) + ": "
	}
	return s + e.Reason
}

// IsFile says whether a path is that of a file whose name says that it lists tasks.
func IsFile(path string) bool {
	ext := filepath.Ext(path)
	if ext != ".toml" && ext != ".json" || filepath.Base(path) == task.ConfigName {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// Read reads a file that lists tasks. The error is a *FileError.
func Read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &FileError{File: path, Reason: "cannot be read: " + cause(err)}
	}
	if !info.Mode().IsRegular() {
		return nil, &FileError{File: path, Reason: "is no regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &FileError{File: path, Reason: "cannot be read: " + cause(err)}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, &FileError{File: path, Reason: "cannot be read: " + cause(err)}
	}
	if len(data) > MaxSize {
		return nil, &FileError{File: path, Reason: fmt.Sprintf("is larger than %d MiB", MaxSize>>20)}
	}
	return Parse(path, data)
}

func cause(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Parse reads the content of a file that lists tasks; its name says whether it is TOML or JSON. JSON whose top is a list is a registry. The error is a *FileError.
func Parse(name string, data []byte) (*File, error) {
	r := &reading{file: &File{Path: name}}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if filepath.Ext(name) != ".json" {
		if len(data) > maxTOML {
			return nil, &FileError{File: name, Reason: fmt.Sprintf("is larger than %d MiB", maxTOML>>20)}
		}
		var top map[string]any
		if err := toml.Unmarshal(data, &top); err != nil {
			e := &FileError{File: name, Reason: "is no TOML: " + err.Error()}
			var d *toml.DecodeError
			if errors.As(err, &d) {
				e.Line, _ = d.Position()
			}
			return nil, e
		}
		r.own(top)
		return r.done()
	}
	var top any
	if err := json.Unmarshal(data, &top); err != nil {
		e := &FileError{File: name, Reason: "is no JSON: " + err.Error()}
		var s *json.SyntaxError
		if errors.As(err, &s) {
			e.Line = 1 + bytes.Count(data[:min(int(s.Offset), len(data))], []byte("\n"))
		}
		return nil, e
	}
	switch top := top.(type) {
	case map[string]any:
		r.own(top)
	case []any:
		r.registry(top)
	default:
		r.wrong("", "want an object with a list \"tasks\", or a registry's list of datasets")
	}
	return r.done()
}

func (r *reading) done() (*File, error) {
	if r.err != nil {
		return nil, r.err
	}
	return r.file, nil
}
