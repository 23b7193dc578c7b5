package task

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Task is one task folder, read and found whole. Paths in it are relative to Dir and use forward slashes.
type Task struct {
	// Dir is absolute; links on the way to it and the folder itself are resolved.
	Dir string
	// Name is [task] name, else the name of Dir.
	Name string
	// ShortName is what follows the slash in Name.
	ShortName string
	Config    Config
	// Instruction is a single-step task's text for the agent; empty for a task with steps, which have their own.
	Instruction string
	// Parts are what the agent is run on: one for a single-step task, else one for each step.
	Parts []Part
	// HasDockerfile and HasCompose tell what environment/ holds.
	HasDockerfile, HasCompose bool
	// HasEnvironment says that there is such a folder.
	HasEnvironment bool
	// Probes are stand-ins for agents that check the tests, sorted by name.
	Probes []Probe
	// Warnings start with those of task.toml, sorted by line.
	Warnings []Warning
}

// Part is what one run of the agent and its grading take from the folder.
type Part struct {
	// Step is the index in Config.Steps, or TaskLevel.
	Step int
	// Name is the step's, or empty.
	Name        string
	Instruction string
	Mode        Mode
	// Tests are the folders that make up /tests, later ones over earlier ones. For a separate verifier it is the one
	// folder that defines its container.
	Tests []string
	// TestScript is the script that grades, in one of Tests. It may be empty for a separate verifier, whose image can
	// hold the script.
	TestScript string
	// Scoring is the specification by which an answer is scored where there is no TestScript, in one of Tests, or empty.
	Scoring string
	// Verifier tells what the folder of a separate verifier holds.
	Verifier Definition
	// Solution is the folder with the oracle's script, or empty.
	Solution string
	// Workdir is the folder to copy into the container's before the agent starts, or empty; Setup tells that it holds
	// a setup.sh.
	Workdir string
	Setup   bool
}

// Definition is a folder that defines a container.
type Definition struct {
	Dir                 string
	Dockerfile, Compose bool
}

// Load reads the task in dir. The error is Problems, sorted by file and place, and holds everything that is wrong with
// task.toml, or with the folder once task.toml is right. Nothing outside dir is read, not even through links.
func Load(dir string, opt Options) (*Task, error) {
	shown := filepath.Clean(dir)
	l := &loading{shown: shown, task: &Task{}}
	resolved, err := resolve(shown)
	if err != nil {
		return nil, Problems{{File: shown, What: cause(err)}}
	}
	l.root, err = os.OpenRoot(resolved)
	if err != nil {
		return nil, Problems{{File: shown, What: "cannot be opened as a folder: " + cause(err)}}
	}
	defer l.root.Close()
	l.task.Dir = resolved
	if l.config(opt) {
		l.folder()
	}
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	return l.task, nil
}

func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", &NoTaskError{Path: dir, Reason: "has no absolute path: " + cause(err), Err: err}
	}
	if err := checkPath(abs); err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", &NoTaskError{Path: dir, Reason: "cannot be read: " + cause(err), Err: err}
	}
	return resolved, checkPath(resolved)
}

// cause is the text of an error without its path, which the message names already.
func cause(err error) string {
	var none *NoTaskError
	if errors.As(err, &none) {
		return none.Reason
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// loading is the state of one Load.
type loading struct {
	shown    string // the folder as the caller wrote it
	root     *os.Root
	task     *Task
	problems Problems
}

func (l *loading) path(rel string) string { return filepath.Join(l.shown, filepath.FromSlash(rel)) }

func (l *loading) fault(rel, what string) {
	l.problems = append(l.problems, &ConfigError{File: l.path(rel), What: what})
}

func (l *loading) warn(code Code, rel string, line int, message string) {
	l.task.Warnings = append(l.task.Warnings, Warning{Code: code, Message: message, File: l.path(rel), Line: line})
}

// config reads task.toml and reports whether it is right.
func (l *loading) config(opt Options) bool {
	if !l.file(ConfigName) {
		l.missing(ConfigName, "the file is missing; it is what makes a folder a task")
		return false
	}
	data, more, err := readUpTo(l.root, ConfigName, MaxConfigSize)
	if err != nil {
		l.fault(ConfigName, "cannot be read: "+cause(err))
		return false
	}
	if more {
		data = append(data, ' ') // so that Parse finds it too large
	}
	c, warnings, err := Parse(l.path(ConfigName), data, opt)
	l.task.Warnings = warnings
	if err != nil {
		errors.As(err, &l.problems)
		return false
	}
	t := l.task
	t.Config = *c
	t.Name = c.Task.Name
	if t.Name == "" {
		t.Name = filepath.Base(t.Dir)
	}
	t.ShortName = t.Name[strings.LastIndex(t.Name, "/")+1:]
	return true
}
