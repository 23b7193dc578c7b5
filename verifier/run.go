package verifier

import (
	"strconv"
	"strings"
	"time"
)

// Run is how the test script went.
type Run struct {
	// Script is its path in the container, for messages.
	Script string
	// StartKind is one of the Start constants when it never started, and StartDetail the particulars.
	StartKind   string
	StartDetail string
	// Lost says that nothing is known of its end, since its container or the helper in it died.
	Lost bool
	// Exit is its exit code, 128+n after signal n, and Signal the name of that ("SIGKILL").
	Exit   int
	Signal string
	// Duration is how long it ran.
	Duration time.Duration
	// Limit is the most that it may run, and LimitFired says that this ended it.
	Limit time.Duration
	// LimitSource says who set Limit, for messages; it may be empty.
	LimitSource string
	LimitFired  bool
	// OOMKills is how many processes the memory limit killed meanwhile; negative when unknown.
	OOMKills int64
	// Output is the end of what it printed.
	Output string
}

// The reasons for which a test script does not start. They are the words of the helper that starts it.
const (
	StartNotFound    = "not_found"
	StartPermission  = "permission"
	StartInterpreter = "interpreter_missing"
	StartCRLF        = "crlf_shebang"
	StartFormat      = "exec_format"
	StartUser        = "user_unknown"
	StartDir         = "dir_missing"
	StartPrepare     = "prepare"
	StartSwitch      = "user_switch"
	StartOther       = "other"
)

// The reasons of a fault that Run explains; a script that never started has its Start constant as the reason.
const (
	ReasonExitZero    = "exit_zero"    // it succeeded and wrote no reward
	ReasonExitNonzero = "exit_nonzero" // it failed and wrote no reward
	ReasonSignal      = "signal"       // it was killed
	ReasonOOM         = "oom"          // the memory limit killed it, or a part of it
	ReasonLimit       = "limit"        // its own limit ended it
	ReasonLost        = "lost"         // its end is unknown
)

// The end of the output that is kept in a fault.
const (
	maxOutputLines = 20
	maxOutputBytes = 4 << 10
)

// end is the part of a fault that tells how the script ended.
func (r Run) end(opt Options) *TestEnd {
	e := &TestEnd{
		Started:  r.StartKind == "",
		Signal:   r.Signal,
		Seconds:  max(0, r.Duration.Seconds()),
		OOMKills: max(0, r.OOMKills),
		Output:   lastLines(r.Output, opt),
	}
	if e.Started && !r.Lost {
		e.ExitCode = &r.Exit
	}
	return e
}

// lastLines is the end of a text: whole lines where they fit. It is masked before it is cut.
func lastLines(s string, opt Options) string {
	s = strings.TrimRight(opt.text(s, len(s)+1<<20), "\r\n")
	if len(s) > maxOutputBytes {
		s = strings.ToValidUTF8(s[len(s)-maxOutputBytes:], "")
		if _, rest, ok := strings.Cut(s, "\n"); ok {
			s = rest
		}
	}
	lines := strings.Split(s, "\n")
	return strings.Join(lines[max(0, len(lines)-maxOutputLines):], "\n")
}

func (r Run) script() string {
	if r.Script == "" {
		return "the test script"
	}
	return r.Script
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(10*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}

func (r Run) limitSource() string {
	if r.LimitSource == "" {
		return ""
	}
	return " (" + r.LimitSource + ")"
}
