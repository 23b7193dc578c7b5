package example

import (
	"path"
	"strings"
)

// Next lists commands to try on an example that was written at a path, each with what it does.
func Next(kind, at string) [][2]string {
	if kind == "agent" {
		return [][2]string{
			{"seatrial init task hello", "a task for it, if there is none yet"},
			{"seatrial run hello --agent " + quoted(path.Join(at, "agent.toml")), "puts the agent on the task's image, and runs it"},
		}
	}
	at = quoted(at)
	if kind == "fake" {
		return [][2]string{
			{"seatrial check " + at, "everything that can be known without an engine"},
			{"seatrial fakes serve " + at + " --scenario desk", "plays the server on this machine"},
			{"seatrial check --live " + at, "tries out the tests: nobody must fail, the solution pass"},
			{"seatrial run " + at, "its own solution: 1"},
		}
	}
	return [][2]string{
		{"seatrial check " + at, "everything that can be known without an engine"},
		{"seatrial check --live " + at, "tries out the tests: nobody must fail, the solution pass"},
		{"seatrial run " + at, "its own solution: 1"},
	}
}

// quoted is a path as a shell takes it for one word.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./+@%:,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
