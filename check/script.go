package check

import (
	"bytes"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seatrial/seatrial/check/shell"
	"github.com/seatrial/seatrial/task"
)

type shellStep = shell.Step

const hole = shell.Hole

// phase is when a script runs.
type phase string

const (
	phaseTests   phase = "tests"
	phaseAgent   phase = "solution"
	phasePrepare phase = "setup"
)

// script is one script of the task.
type script struct {
	rel    string
	text   []byte
	parts  []task.Part // that use it
	phase  phase
	named  bool // test.sh, solve.sh or setup.sh
	grades bool // it is a test script, or one that it runs
	direct bool // something runs it by its name
	first  shell.Shebang
	marked bool // it has a first line that says what runs it
	lang   shell.Dialect
	parsed *shell.Script
	err    error
	steps  []*shellStep
	whole  bool
}

// script files a script once for all parts that use it.
func (l *looking) script(rel string, p task.Part, ph phase, named bool) *script {
	if i := slices.IndexFunc(l.scripts, func(s *script) bool { return s.rel == rel }); i >= 0 {
		if named {
			l.scripts[i].parts = append(l.scripts[i].parts, p)
		}
		return l.scripts[i]
	}
	s := &script{rel: rel, text: l.files.file(rel), parts: []task.Part{p}, phase: ph, named: named, grades: ph == phaseTests, direct: named}
	if s.text == nil {
		return s
	}
	s.first, s.marked = shell.ReadShebang(s.text)
	s.lang = shell.DialectOf(s.text)
	if !named && !s.marked && !strings.HasSuffix(rel, ".sh") {
		s.lang = shell.None
	}
	if s.lang != shell.None {
		s.parsed, s.err = shell.Parse(s.text, s.lang)
	}
	if s.parsed != nil {
		s.steps, s.whole = s.parsed.Steps(shell.Marks{Step: l.writes(s), Handler: handles, Errexit: s.first.Errexit() && named})
	}
	l.scripts = append(l.scripts, s)
	return s
}

// syntax tells of a script that its shell cannot read, and of line endings where loading does not look.
func (l *looking) syntax(s *script) {
	if !s.named && s.text != nil && bytes.Contains(s.text, []byte("\r\n")) && (s.lang != shell.None || s.direct) {
		line := bytes.Count(s.text[:bytes.Index(s.text, []byte("\r\n"))], []byte("\n")) + 1
		l.say(Finding{Code: "crlf", Severity: Warning, File: s.rel, Line: line, Message: "the line ends in a carriage return (Windows line endings), which shells take for a part of it"})
		return
	}
	var e *shell.SyntaxError
	if bytes.Contains(s.text, []byte("\r\n")) || !errors.As(s.err, &e) {
		return
	}
	f := Finding{Code: "script_syntax", File: s.rel, Line: e.Line, Column: e.Column, Message: e.What}
	if !e.Sure {
		f.Severity = Warning
	}
	l.say(f)
}

// rewardFile finds the names of the files that rewards are written to.
func rewardFile() *regexp.Regexp { return regexp.MustCompile(`reward\.(?:txt|json)`) }

// mentions says whether a text names a file of rewards, or the folder that they are in.
func mentions(text string) bool {
	return strings.Contains(text, "reward.txt") || strings.Contains(text, "reward.json") || strings.Contains(text, "/logs/verifier")
}

// handles says whether a handler for the end of a script can write a reward.
func handles(text, function string) bool {
	all := strings.ToLower(text + "\n" + function)
	return strings.Contains(all, "reward") || strings.Contains(all, "/logs/verifier") || strings.Contains(all, "score") || function == "" && !strings.ContainsAny(text, " ;/")
}

// writes makes the function that says whether a command of a script writes a reward, or runs something that may.
func (l *looking) writes(s *script) func(*shellStep) bool {
	return func(step *shellStep) bool {
		if target(step) != "" {
			return true
		}
		args := step.Command()
		if len(args) == 0 {
			return false
		}
		switch name := path.Base(args[0]); name {
		case "cat", "rm", "ls", "test", "[", "grep", "mkdir", "chmod", "chown", "echo", "printf", "cd", "find", "stat", "head", "tail", "trap", "export", "wc", "[[":
			return false
		case "rewardkit", "seatrial", "eval":
			return true
		}
		if strings.Contains(step.Text, "reward") {
			return true
		}
		return l.runsWriter(s, args)
	}
}

// runsWriter says whether a command runs files of the tests that name a file of rewards.
func (l *looking) runsWriter(s *script, args []string) bool {
	for _, a := range args {
		if rel := l.inTests(s, a); rel != "" {
			if data := string(l.files.file(rel)); strings.Contains(strings.ToLower(data), "reward") || mentions(data) {
				return true
			}
			if !strings.HasSuffix(rel, ".py") {
				continue
			}
		}
		if strings.HasSuffix(a, ".py") || strings.HasPrefix(a, "/tests") || a == "pytest" || strings.Contains(a, "pytest") {
			for _, t := range l.tests { // it may import, or be configured by, any of them
				if strings.HasSuffix(t, ".py") && mentions(string(l.files.file(t))) {
					return true
				}
			}
		}
	}
	return false
}

// target is the file of rewards that a command's output goes to, or "".
func target(step *shellStep) string {
	for _, r := range step.Redirects {
		switch {
		case !strings.HasPrefix(r.Op, ">") && !strings.HasPrefix(r.Op, "&>"), r.FD == "2":
		case rewardFile().MatchString(r.Target):
			return r.Target
		case strings.Contains(r.Target, hole) && strings.Contains(strings.ToLower(step.Text), "reward") && strings.HasSuffix(r.Target, hole):
			return r.Target // a variable of such a name
		}
	}
	args := step.Command()
	if len(args) > 1 {
		switch path.Base(args[0]) {
		case "tee", "cp", "mv", "install", "ln":
			for _, a := range args[1:] {
				if rewardFile().MatchString(a) {
					return a
				}
			}
		}
	}
	return ""
}
