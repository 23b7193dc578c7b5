package task

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// Probe is a folder below tests/probes with a script that stands in for an agent, and the verdict that the tests have to come to. It checks the tests, and is
// no result of anything.
type Probe struct {
	// Name is the folder's.
	Name string
	// Dir is the folder, relative to the task's.
	Dir         string
	Expect      Expect
	Description string
	// Steps are the folders with a solve.sh, by the name of the step that they act in; for a task without steps it is Dir, by the empty name. In a step
	// without one the probe does nothing.
	Steps map[string]string
}

// Expect says what the tests have to make of a probe.
type Expect string

// What the tests have to make of a probe.
const (
	ExpectPass      Expect = "pass"
	ExpectFail      Expect = "fail"
	ExpectVariation Expect = "variation" // another way to do it right: passes
	ExpectShortcut  Expect = "shortcut"  // a way to look right: fails
)

// Passes says whether the verdict has to be a pass.
func (e Expect) Passes() bool { return e == ExpectPass || e == ExpectVariation }

const (
	probesDir = "tests/probes"
	probeFile = "probe.toml"
	maxProbes = 200
)

// ParseProbe decodes the bytes of a probe.toml. file is the name for messages. The error is Problems.
func ParseProbe(file string, data []byte) (*Probe, []Warning, error) {
	p := &Probe{}
	f := fields{keys: []key{
		need("expect", set(&p.Expect, oneOf(ExpectPass, ExpectFail, ExpectVariation, ExpectShortcut))),
		{name: "description", rule: set(&p.Description, text())},
	}}
	r := &reader{file: file, places: map[string]Position{}, known: &vocabulary{}}
	r.known.gather("", f.keys, false)
	r.tree(data, f)
	if err := r.problems.err(); err != nil {
		return nil, r.warnings, err
	}
	return p, r.warnings, nil
}

// probes finds the task's probes, and what is wrong with them.
func (l *loading) probes() {
	if !l.dir("tests") || !l.dir(probesDir) {
		return
	}
	entries, err := fs.ReadDir(l.root.FS(), probesDir)
	if err != nil {
		l.fault(probesDir, "cannot be listed: "+cause(err))
		return
	}
	if len(entries) > maxProbes {
		l.fault(probesDir, fmt.Sprintf("there are more than %d probes", maxProbes))
		return
	}
	for _, e := range entries {
		dir := path.Join(probesDir, e.Name())
		switch {
		case !isWord(e.Name()):
			l.fault(probesDir, fmt.Sprintf("%q is no name for a probe: use letters, digits, \"_\", \".\" and \"-\", beginning with a letter or digit", clip(e.Name())))
		case !l.dir(dir):
			l.once(dir, "must be a folder with a "+probeFile)
		default:
			l.probe(e.Name(), dir)
		}
	}
}

func (l *loading) probe(name, dir string) {
	file := path.Join(dir, probeFile)
	if !l.file(file) {
		l.missing(file, `the file is missing; it says what the tests have to make of the probe: expect = "pass", "fail", "variation" or "shortcut"`)
		return
	}
	data, more, err := readUpTo(l.root, file, MaxConfigSize)
	if err != nil {
		l.fault(file, "cannot be read: "+cause(err))
		return
	}
	if more {
		data = append(data, ' ')
	}
	p, warnings, err := ParseProbe(l.path(file), data)
	l.task.Warnings = append(l.task.Warnings, warnings...)
	if err != nil {
		var found Problems
		errors.As(err, &found)
		l.problems = append(l.problems, found...)
		return
	}
	p.Name, p.Dir, p.Steps = name, dir, map[string]string{}
	l.probeScripts(p)
	l.task.Probes = append(l.task.Probes, *p)
}

// probeScripts finds what a probe runs: one script, or one for each step in which it does something.
func (l *loading) probeScripts(p *Probe) {
	c := &l.task.Config
	own := path.Join(p.Dir, "solve.sh")
	if !c.MultiStep() {
		if !l.file(own) {
			l.missing(own, "the probe's script is missing")
			return
		}
		p.Steps[""] = p.Dir
		l.script(own, false)
		return
	}
	var names []string
	for i := range c.Steps {
		names = append(names, c.Steps[i].Name)
		dir := path.Join(p.Dir, c.Steps[i].Name)
		if l.dir(dir) && l.file(path.Join(dir, "solve.sh")) {
			p.Steps[c.Steps[i].Name] = dir
			l.script(path.Join(dir, "solve.sh"), false)
		}
	}
	if len(p.Steps) == 0 {
		l.fault(p.Dir, fmt.Sprintf("the probe does nothing: a task with steps has its scripts in a folder for each step, such as %s/solve.sh", path.Join(p.Dir, names[0])))
	}
	entries, err := fs.ReadDir(l.root.FS(), p.Dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(names, e.Name()) {
			l.fault(path.Join(p.Dir, e.Name()), "the folder is of no step of the task")
		}
	}
}
