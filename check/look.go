package check

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/task"
)

// look reads the task's files for what makes a verdict wrong though nothing fails.
func (c *checking) look(t *task.Task) {
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return // loading it has just worked, so that it will be told
	}
	defer root.Close()
	l := &looking{checking: c, t: t, conf: &t.Config, files: folder{root: root, read: map[string][]byte{}, long: map[string]int64{}}}
	l.gather()
	if t.Config.Environment.OS == task.Windows {
		return // its scripts are batch files
	}
	for _, s := range l.scripts {
		l.first(s)
		l.syntax(s)
		l.times(s)
		if s.grades {
			l.rewards(s)
			l.network(s)
		}
	}
	l.counts()
	l.written()
	l.scoring()
	l.config()
	l.leaks()
	l.solution()
}

// looking is the state of reading one task's files.
type looking struct {
	*checking
	t       *task.Task
	conf    *task.Config
	files   folder
	scripts []*script
	tests   []string // the files of all folders of tests
	// inContext are the files of the build context, once they are listed.
	inContext []string
}

// say files a finding about a place in a file of the task.
func (l *looking) say(f Finding) {
	f.File = l.path(f.File)
	l.add(f)
}

// gather finds the scripts, and those that the test scripts run.
func (l *looking) gather() {
	for _, p := range l.t.Parts {
		for _, dir := range p.Tests {
			for _, file := range l.files.under(dir) {
				if !slices.Contains(l.tests, file) {
					l.tests = append(l.tests, file)
				}
			}
		}
	}
	for _, p := range l.t.Parts {
		if p.TestScript != "" {
			l.script(p.TestScript, p, phaseTests, true)
		}
		if p.Solution != "" {
			l.script(beside(p.Solution, "solve.sh"), p, phaseAgent, true)
		}
		if p.Setup {
			l.script(beside(p.Workdir, "setup.sh"), p, phasePrepare, true)
		}
	}
	for i := 0; i < len(l.scripts) && len(l.scripts) < maxScripts; i++ {
		s := l.scripts[i]
		if s.phase != phaseTests {
			continue
		}
		for _, step := range s.steps {
			if rel, direct := l.runs(s, step); rel != "" {
				l.script(rel, s.parts[0], phaseTests, false).direct = direct
			}
		}
	}
}

// maxScripts bounds how many scripts of a task are looked at.
const maxScripts = 200

// runs says which script below tests/ a command runs, and whether the system finds out by itself what is to run it.
func (l *looking) runs(s *script, step *shellStep) (rel string, direct bool) {
	args := step.Command()
	if len(args) == 0 {
		return "", false
	}
	name, direct := args[0], true
	switch path.Base(name) {
	case "bash", "sh", "dash", "source", ".", "ash":
		direct = false
		name = ""
		for _, a := range args[1:] {
			if !strings.HasPrefix(a, "-") {
				name = a
				break
			}
			if a == "-c" {
				return "", false
			}
		}
	}
	if !strings.Contains(name, "/") && direct {
		return "", false
	}
	return l.inTests(s, name), direct
}

// inTests finds the file below the folders of tests that a path in the container stands for, or "".
func (l *looking) inTests(s *script, name string) string {
	rest, ok := strings.CutPrefix(name, "/tests/")
	if !ok {
		i := strings.LastIndex(name, hole)
		if i < 0 && (strings.HasPrefix(name, "/") || name == "") {
			return ""
		}
		rest = strings.TrimPrefix(name[i+1:], "/")
	}
	rest = path.Clean(rest)
	if strings.HasPrefix(rest, "..") || rest == "." {
		return ""
	}
	for _, p := range s.parts {
		for _, dir := range slices.Backward(p.Tests) {
			if rel := beside(dir, rest); slices.Contains(l.tests, rel) {
				return rel
			}
		}
	}
	return ""
}

// solution tells of a task whose tests nothing can be checked against.
func (l *looking) solution() {
	for _, p := range l.t.Parts {
		switch {
		case p.Solution == "":
			f := Finding{Code: "no_solution", File: task.ConfigName, Message: "the task has no solution folder"}
			if p.Name != "" {
				f.Message = "step " + p.Name + " has no solution folder"
			}
			l.say(f)
		case !l.files.has(beside(p.Solution, "solve.sh")):
			l.say(Finding{Code: "no_solution", File: p.Solution, Message: "the folder holds no solve.sh"})
		}
	}
}
