package shell

import "slices"

// Step is one simple command of a script, in the order in which the script reaches it.
type Step struct {
	// Line and Column start at 1.
	Line, Column int
	// Args are the words of the command, with Hole where a part is not known; none for what stands before a redirection of a compound command.
	Args []string
	// Redirects are those of the command itself.
	Redirects []Redirect
	// Text is the command as the script writes it, here-documents too.
	Text string
	// From is what a pipe feeds into the command, or nil.
	From *Step

	// Conditional says that the script may not reach the command: it is in a branch, in a loop, or after && or ||.
	Conditional bool
	// InFunction says that it is in a function, at the place of a call.
	InFunction bool
	// Tolerated says that the script goes on when the command fails, with set -e too.
	Tolerated bool
	// Background says that the script does not wait for it.
	Background bool
	// Errexit says that set -e is in force.
	Errexit bool
	// Marked says that a command which the caller marks was reached in any case before this one; Trapped that a handler for the end of the script was set.
	Marked, Trapped bool
}

// Redirect is where a command's output goes, or its input comes from.
type Redirect struct {
	// Op is the operator, such as ">", ">>", "<", "<<".
	Op string
	// FD is the number before the operator, or empty.
	FD     string
	Target string
	// Body is the text of a here-document and BodyLine the line that it begins in.
	Body     string
	BodyLine int
}

// wrappers are commands that run the command in their arguments.
func wrappers() []string {
	return []string{"command", "env", "sudo", "exec", "time", "nice", "nohup", "timeout", "gtimeout", "stdbuf", "ionice", "xvfb-run", "builtin", "setsid", "su-exec", "gosu"}
}

// Command gives the words of the command that is run in the end, without env, timeout and the like, and without assignments before it.
func (s *Step) Command() []string {
	args := s.Args
	for len(args) > 0 && slices.Contains(wrappers(), args[0]) {
		name := args[0]
		args = args[1:]
		for len(args) > 0 && (isOption(args[0]) || isAssignment(args[0])) {
			takes := name == "timeout" && (args[0] == "-k" || args[0] == "-s") || name == "sudo" && args[0] == "-u" || name == "nice" && args[0] == "-n" || name == "env" && args[0] == "-u"
			args = args[1:]
			if takes && len(args) > 0 {
				args = args[1:]
			}
		}
		if (name == "timeout" || name == "gtimeout" || name == "su-exec" || name == "gosu") && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

func isOption(w string) bool { return len(w) > 1 && w[0] == '-' }

func isAssignment(w string) bool {
	for i, c := range w {
		switch {
		case c == '=':
			return i > 0
		case c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9'):
			return false
		}
	}
	return false
}
