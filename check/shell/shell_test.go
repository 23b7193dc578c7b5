package shell_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/check/shell"
)

// steps tells a script's commands with their marks: c(onditional), f(unction), t(olerated), b(ackground), e(rrexit), m(arked), r (trapped).
func steps(t *testing.T, text string) string {
	t.Helper()
	s, err := shell.Parse([]byte(text), shell.Bash)
	if err != nil {
		t.Fatal(err)
	}
	all, whole := s.Steps(shell.Marks{Step: func(s *shell.Step) bool { return len(s.Args) > 0 && s.Args[0] == "MARK" }, Handler: func(text, function string) bool { return strings.Contains(text+function, "MARK") }})
	if !whole {
		t.Error("it is not whole")
	}
	var out []string
	for _, s := range all {
		flags := ""
		for i, on := range []bool{s.Conditional, s.InFunction, s.Tolerated, s.Background, s.Errexit, s.Marked, s.Trapped} {
			if on {
				flags += string("cftbemr"[i])
			}
		}
		out = append(out, strings.TrimSuffix(strings.ReplaceAll(strings.Join(s.Args, " "), shell.Hole, "?")+":"+flags, ":"))
	}
	return strings.Join(out, " | ")
}

func TestStepsKnowWhenTheyAreReached(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"set -e holds until set +e":                        {"a; set -e; b; set +e; c", "a | set -e | b:e | set +e:e | c"},
		"a condition is tolerated, a branch is not":        {"set -euo pipefail; if a; then b; else c; fi; d", "set -euo pipefail | a:te | b:ce | c:ce | d:e"},
		"what stands before && and || is tolerated":        {"set -e; a && b || c; d", "set -e | a:te | b:cte | c:ce | d:e"},
		"a mark in both branches is reached":               {"if a; then MARK; else MARK; fi; b", "a:t | MARK:c | MARK:c | b:m"},
		"a mark in one branch is not":                      {"if a; then MARK; fi; b", "a:t | MARK:c | b"},
		"a branch that ends the script does not count":     {"if a; then exit 1; else MARK; fi; b", "a:t | exit 1:c | MARK:c | b:m"},
		"a mark on both sides of a choice is reached":      {"a && MARK || MARK; b", "a:t | MARK:ct | MARK:c | b:m"},
		"a mark on one side is not":                        {"a && MARK; b", "a:t | MARK:c | b"},
		"all cases with a default":                         {"case $x in 1) MARK ;; *) MARK ;; esac; b", "MARK:c | MARK:c | b:m"},
		"cases without a default":                          {"case $x in 1) MARK ;; esac; b", "MARK:c | b"},
		"functions are walked through where called":        {"f() { a; MARK; }; b; f; c", "b | a:f | MARK:f | c:m"},
		"functions that call themselves end":               {"f() { a; f; }; f; b", "a:f | a:f | a:f | a:f | a:f | a:f | a:f | a:f | f:f | b"},
		"a loop may not be reached":                        {"for i in 1; do MARK; done; while a; do b; done", "MARK:c | a:t | b:c"},
		"a pipe hides all but its last":                    {"set -e; a | b; set -o pipefail; c | d", "set -e | a:te | b:e | set -o pipefail:e | c:e | d:e"},
		"a job in the background":                          {"set -e; a & b", "set -e | a:tbe | b:e"},
		"an assignment has its substitution's status":      {"set -e; x=$(a); y=$(b | c); echo $(d)", "set -e | a:e | b:te | c:e | d:t | echo ?:e"},
		"declarations hide it":                             {"set -e; export x=$(a)", "set -e | a:t | export:e"},
		"a handler for the end":                            {"trap MARK EXIT; a", "trap MARK EXIT | a:r"},
		"a handler that is a function":                     {"end() { MARK; }; trap end EXIT INT; a", "trap end EXIT INT | a:r"},
		"another handler":                                  {"trap MARK INT; trap 'rm x' EXIT; a", "trap MARK INT | trap rm x EXIT | a"},
		"nothing follows exit":                             {"a; exit; b", "a | exit"},
		"a subshell's exit ends only itself":               {"(a; exit 1); b", "a | exit 1 | b"},
		"variables with one value are known":               {"D=/x; F=$D/y; a \"$F\" ${G:-z} $H", "a /x/y z ?"},
		"variables that change are not":                    {"D=/x; a $D; D=/y; if b; then E=1; fi; c $E", "a ? | b:t | c ?"},
		"a function's return does not end the script":      {"f() { a || return 1; b; }; f; c", "a:ft | return 1:cf | b:f | c"},
		"a function that exits does":                       {"f() { exit 0; }; f; c", "exit 0:f"},
		"what is negated is tolerated":                     {"set -e; ! a; b", "set -e | a:te | b:e"},
		"a group's output is a step that names no command": {"{ a; b; } >x; c", "a | b | :t | c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, steps(t, tc.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSyntaxErrorsKnowHowSureTheyAre(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text    string
		dialect shell.Dialect
		sure    bool
		line    int
	}{
		"an if without fi":                  {"a\nif b; then c\n", shell.Bash, true, 2},
		"a quote that is not closed":        {"a\n\nb '\n", shell.POSIX, true, 3},
		"arrays in sh":                      {"a=(1 2)\n", shell.POSIX, false, 1},
		"an if without fi in no dialect":    {"if b; then c\n", shell.Unknown, false, 1},
		"a here-document without its end":   {"cat <<E\nx\n", shell.Bash, false, 1},
		"an if without fi in another shell": {"if b; then c\n", shell.Zsh, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := shell.Parse([]byte(tc.text), tc.dialect)
			var e *shell.SyntaxError
			if !errors.As(err, &e) || e.Sure != tc.sure || e.Line != tc.line {
				t.Errorf("got %#v", err)
			}
		})
	}
}

func TestScriptsThatNestWithoutEndAreGivenUp(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"(", "{ ", "$(", "if ", "`", "! ", "a=${a:-", "$((", "((", "while ", "\"$(", "[[ ( ", "case x in x) ", "f() ", "a && ", "a | ", "<(", "time ", "[[ ! ", "{a,", "$[", "@("} {
		text := strings.Repeat(part, shell.MaxSize/len(part))
		started := time.Now()
		if s, err := shell.Parse([]byte(text), shell.Bash); err == nil {
			s.Steps(shell.Marks{})
		}
		if took := time.Since(started); took > 20*time.Second {
			t.Errorf("%q took %v", part, took)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"#!/bin/sh\nset -e\nx=$(a | b) && c || d\n", "f() { f; }; f\ncase $1 in a|b) ;; *) exit;; esac\n", "cat <<E >x\n$y ${z:-\"q\"}\nE\n", "trap 'a' EXIT; timeout -k 5 3 env A=b c &\n"} {
		f.Add([]byte(s), "bash")
		f.Add([]byte(s), "sh")
	}
	f.Fuzz(func(t *testing.T, text []byte, dialect string) {
		shell.DialectOf(text)
		s, err := shell.Parse(text, shell.Dialect(dialect))
		if s == nil {
			if err == nil {
				t.Fatal("neither script nor error")
			}
			return
		}
		all, _ := s.Steps(shell.Marks{Step: func(s *shell.Step) bool { return len(s.Command()) > 1 }, Handler: func(string, string) bool { return true }})
		for _, step := range all {
			if step.Line < 1 || step.Column < 1 {
				t.Errorf("a step at %d:%d", step.Line, step.Column)
			}
		}
	})
}
