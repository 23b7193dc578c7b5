package orchestrator

import (
	"fmt"
	"path/filepath"

	"github.com/seatrial/seatrial/task"
)

// UnsupportedError says that a task is right and asks for something that the tool does not run. Nothing has been started.
type UnsupportedError struct {
	File         string
	Line, Column int
	Key          string
	What         string
}

func (e *UnsupportedError) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	return fmt.Sprintf("%s: %s: %s", place, e.Key, e.What)
}

// Unsupported returns what a task asks for that cannot be run yet, or nil.
func Unsupported(t *task.Task) error {
	c := &t.Config
	say := func(key, what string) error {
		p := c.Where(key)
		return &UnsupportedError{File: filepath.Join(t.Dir, "task.toml"), Line: p.Line, Column: p.Column, Key: key, What: what}
	}
	switch {
	case c.Environment.OS == task.Windows:
		return say("environment.os", "Windows containers are not supported")
	case c.Environment.TPU != nil:
		return say("environment.tpu", "TPUs are not supported")
	}
	return nil
}
