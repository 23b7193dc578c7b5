package check

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
)

// rewards looks at when a test script writes a reward, and when it ends without one.
func (l *looking) rewards(s *script) {
	if !s.named || s.parsed == nil || !s.whole {
		return
	}
	l.early(s)
	l.aborts(s)
}

// early finds a constant reward above 0 that is written before something that could still fail.
func (l *looking) early(s *script) {
	for i, step := range s.steps {
		value, ok := constant(step)
		if !ok || value <= 0 || step.Conditional || step.InFunction || step.Background || step.Trapped {
			continue
		}
		after := slices.IndexFunc(s.steps[i+1:], func(o *shellStep) bool { return checks(o) })
		if after < 0 {
			continue
		}
		f := Finding{Code: "reward_before_checks", File: s.rel, Line: step.Line, Column: step.Column}
		next := s.steps[i+1+after]
		what := strings.ReplaceAll(strings.Join(next.Command()[:1], ""), hole, "...")
		writesLater := slices.ContainsFunc(s.steps[i+1:], func(o *shellStep) bool { return l.writes(s)(o) })
		checkedBefore := slices.ContainsFunc(s.steps[:i], func(o *shellStep) bool { return checks(o) && (o.Errexit || o.Tolerated || o.Conditional) })
		switch {
		case writesLater:
			f.Severity = Warning
			f.Message = "a reward of " + number(value) + " is written before " + what + " runs in line " + strconv.Itoa(next.Line) + "; it stays when the script ends before the reward is written again"
		case checkedBefore:
			f.Severity = Warning
			f.Message = "a reward of " + number(value) + " is written, and then " + what + " runs in line " + strconv.Itoa(next.Line) + ", which changes the reward no more"
		default:
			f.Message = "a reward of " + number(value) + " is written before " + what + " runs in line " + strconv.Itoa(next.Line) + ", and stays whatever becomes of it"
		}
		l.say(f)
		return
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// aborts finds a command whose failure ends the script without a reward.
func (l *looking) aborts(s *script) {
	for _, step := range s.steps {
		if !step.Errexit || step.Tolerated || step.Marked || step.Trapped || !checks(step) || l.writes(s)(step) {
			continue
		}
		what := strings.ReplaceAll(strings.Join(step.Command()[:1], ""), hole, "...")
		l.say(Finding{Code: "set_e_without_reward", File: s.rel, Line: step.Line, Column: step.Column,
			Message: "set -e is in force and no reward is written yet: when " + what + " fails, the script ends without one, which is a fault of the task and no score of 0"})
		return
	}
}

// checks says whether a command looks like one that tests the agent's work, or prepares to: what only moves, prints, cleans up or installs does not.
func checks(step *shellStep) bool {
	args := step.Command()
	if len(args) == 0 || target(step) != "" || step.From != nil && fetchOf(step.From.Command()) != nil { // curl | sh installs
		return false
	}
	name := path.Base(args[0])
	if strings.HasSuffix(name, hole) && !strings.Contains(name, ".") {
		return name != hole || len(args) > 1
	}
	f := fetchOf(args)
	return !slices.Contains(harmless(), name) && (f == nil || f.runs)
}

// harmless are commands that test nothing.
func harmless() []string {
	return []string{"echo", "printf", "cat", "ls", "rm", "cp", "mv", "ln", "mkdir", "rmdir", "touch", "chmod", "chown", "kill", "pkill", "killall", "wait", "true", ":", "exit", "sync", "cd", "set",
		"shopt", "export", "declare", "local", "readonly", "typeset", "unset", "date", "tee", "sleep", "trap", "return", "pushd", "popd", "pwd", "source", ".", "deactivate", "ulimit", "umask", "env", "exec",
		"break", "continue", "shift", "dirname", "basename", "realpath", "readlink", "mktemp", "which", "type", "hash", "command", "alias", "whoami", "id", "uname", "hostname", "nproc", "ps", "df", "du", "find",
		"head", "tail", "sed", "tr", "sort", "uniq", "cut", "wc", "install", "tar", "unzip", "gunzip", "gzip", "seq", "read", "let", "((", "git", "sudo", "rewardkit", "bc", "eval", "stat", "id", "groupadd", "useradd", "apt-key", "update-ca-certificates",
		"locale-gen", "service", "systemctl", "nohup", "expr", "awk", "jq", "xargs", "getopts", "stty", "clear", "tput", "logger", "python3-config", "dpkg", "rpm", "apt-mark", "ldconfig"}
}

// constant is the reward that a command writes, when that is the same in any case.
func constant(step *shellStep) (float64, bool) {
	if target(step) == "" {
		return 0, false
	}
	text, ok := written(step)
	if !ok || strings.Contains(text, hole) {
		return 0, false
	}
	text = strings.TrimSpace(text)
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, true
	}
	var all map[string]any
	if json.Unmarshal([]byte(text), &all) != nil {
		return 0, false
	}
	if v, ok := all["reward"].(float64); ok {
		return v, true
	}
	for _, v := range all {
		if n, ok := v.(float64); !ok || n <= 0 {
			return 0, ok
		}
	}
	return 1, len(all) > 0
}

// written is the text that a command writes, as far as that is known.
func written(step *shellStep) (string, bool) {
	args := step.Command()
	if len(args) == 0 {
		return "", false
	}
	switch path.Base(args[0]) {
	case "echo":
		args = args[1:]
		for len(args) > 0 && (args[0] == "-n" || args[0] == "-e" || args[0] == "-ne" || args[0] == "-en") {
			args = args[1:]
		}
		return strings.Join(args, " "), true
	case "printf":
		return printed(args[1:])
	case "cat":
		for _, r := range step.Redirects {
			if r.Body != "" {
				return r.Body, true
			}
		}
	case "tee":
		if step.From != nil && target(step.From) == "" {
			return written(step.From)
		}
		for _, r := range step.Redirects {
			if r.Body != "" {
				return r.Body, true
			}
		}
	}
	return "", false
}

func printed(args []string) (string, bool) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return "", false
	}
	text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, "%%", "%").Replace(args[0])
	for _, a := range args[1:] {
		i := strings.Index(text, "%")
		if i < 0 {
			break
		}
		j := i + 1
		for j < len(text) && strings.IndexByte("0123456789.-+ #", text[j]) >= 0 {
			j++
		}
		if j == len(text) {
			return "", false
		}
		text = text[:i] + a + text[j+1:]
	}
	return text, !strings.Contains(text, "%")
}
