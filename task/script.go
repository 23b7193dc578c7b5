package task

import (
	"bytes"
	"path"
	"strings"
)

// maxLint is how much of a script is looked at.
const maxLint = 1 << 20

// script looks for what makes a script fail in ways that are hard to see.
func (l *loading) script(rel string, grades bool) {
	data, _, err := readUpTo(l.root, rel, maxLint)
	if err != nil {
		l.once(rel, "cannot be read: "+cause(err))
		return
	}
	text, marked := bytes.CutPrefix(data, []byte("\xef\xbb\xbf"))
	if marked {
		l.warn(ByteOrderMark, rel, 1, "the script starts with a byte order mark, so its first line is not seen as \"#!\"; save it without")
	}
	lines := strings.Split(string(text), "\n")
	switch {
	case !strings.HasPrefix(lines[0], "#!"):
		l.warn(NoShebang, rel, 1, "the script does not start with \"#!\", so what runs it is left to chance; "+
			"start it with a line such as #!/bin/bash")
	case strings.HasSuffix(lines[0], "\r"):
		l.problems = append(l.problems, &ConfigError{
			File: l.path(rel), Line: 1, Column: len(lines[0]), Code: LineEndings,
			What: "line 1 ends in a carriage return (Windows line endings); convert the file to LF",
		})
		return
	}
	for i, line := range lines {
		if strings.HasSuffix(line, "\r") {
			l.warn(LineEndings, rel, i+1, "the line ends in a carriage return (Windows line endings), which shells take for a part of it")
			break
		}
	}
	if grades && isShell(lines[0]) {
		if at := hiddenExit(lines); at > 0 {
			l.warn(HiddenExitCode, rel, at, "the exit code after this pipe is that of its last command, so a failing test looks like a pass; "+
				"write set -o pipefail above it or use PIPESTATUS")
		}
	}
}

// isShell reports whether a first line asks for a shell; a script without "#!" ends up in one too.
func isShell(first string) bool {
	words := strings.Fields(strings.TrimPrefix(first, "#!"))
	if !strings.HasPrefix(first, "#!") {
		return true
	}
	for _, w := range words {
		switch path.Base(w) {
		case "sh", "bash", "dash", "zsh", "ash", "ksh":
			return true
		}
	}
	return false
}

// hiddenExit returns the line of a pipe into a command that always succeeds, when what it returned is then asked for
// before a reward is written; 0 if there is none. It is a guess made line by line, so it only ever warns.
func hiddenExit(lines []string) int {
	pipe := 0
	for i, line := range lines {
		line, _, _ = strings.Cut(line, " #")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "#") {
			continue
		}
		if strings.Contains(line, "pipefail") || strings.Contains(line, "PIPESTATUS") {
			return 0
		}
		asks := strings.Contains(line, "$?") && pipe > 0 && pipe == lastCommand(lines, i)
		if rest, found := swallowed(trimmed); found {
			pipe = i + 1
			asks = strings.HasPrefix(trimmed, "if ") || strings.Contains(rest, "&&") || strings.Contains(rest, "$?")
		}
		if asks && rewardFollows(lines[i:]) {
			return pipe
		}
	}
	return 0
}

// swallowed finds a pipe into a command that succeeds whatever it reads, and returns what follows on the line.
func swallowed(line string) (rest string, found bool) {
	if strings.Contains(line, "$(") || strings.Contains(line, "`") {
		return "", false // a pipe in there is about output
	}
	for i, part := range strings.Split(strings.ReplaceAll(line, "||", "&&"), "|") {
		words := strings.Fields(strings.TrimPrefix(part, "&"))
		if i == 0 || len(words) == 0 {
			continue
		}
		switch words[0] {
		case "tee", "cat", "tail", "head", "sed", "awk":
			return strings.Join(words[1:], " "), true
		}
	}
	return "", false
}

// lastCommand returns the number of the line with the last command before line i, counted from 0.
func lastCommand(lines []string, i int) int {
	for i--; i >= 0; i-- {
		if t := strings.TrimSpace(lines[i]); t != "" && !strings.HasPrefix(t, "#") {
			return i + 1
		}
	}
	return 0
}

func rewardFollows(lines []string) bool {
	for _, line := range lines {
		if strings.Contains(line, "reward") {
			return true
		}
	}
	return false
}
