package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seatrial/seatrial/internal/golden"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/verifier"
)

func ptr[T any](v T) *T { return &v }

func complete(id string, score float64) *orchestrator.Case {
	return &orchestrator.Case{ID: id, Status: "complete", Score: &score, Scores: []verifier.Score{{Name: "reward", Value: &score, Status: "scored"}},
		Timing: orchestrator.Timing{Total: 12.34}}
}

func broken(f orchestrator.Fault) *orchestrator.Case {
	return &orchestrator.Case{ID: "refund", Status: "incomplete", Error: &f, Timing: orchestrator.Timing{Total: 3}}
}

// cases are one of each kind that people see.
func cases() []*orchestrator.Case {
	mean := complete("mean-of-two", 0.625)
	mean.ScoreDerived = true
	mean.Scores = []verifier.Score{{Name: "style", Value: ptr(0.25), Status: "scored"}, {Name: "truth", Value: ptr(1.0), Status: "scored"}, {Name: "tone", Status: "not_applicable"}}
	noted := complete("noted", 1)
	noted.Warnings = []orchestrator.Warning{{Code: "agent_timed_out", Message: "the agent was ended after 60.0 s by its limit"}, {Code: "case_unnamed", Message: "not to be shown here"},
		{Code: "reward_planted", Message: "the verifier's folder was not empty"}}
	return []*orchestrator.Case{
		complete("full", 1),
		complete("partial", 0.33333333),
		complete("zero", 0),
		mean,
		noted,
		{ID: "nothing-applies", Status: "complete", Timing: orchestrator.Timing{Total: 1}},
		broken(orchestrator.Fault{Code: "build_failed", Message: "Dockerfile:3: RUN make ended with exit code 2", Lines: []string{"make: *** no rule", "stop."}}),
		broken(orchestrator.Fault{Code: "sidecar_failed", Message: "service db exited with code 1", Hint: "its health check said: refused"}),
		broken(orchestrator.Fault{Code: "setup_failed", Message: "task.toml:3:1: unknown key\ntask.toml:9:2: another"}),
		{ID: "no-reason", Status: "incomplete"},
		complete("all-nines", 0.99999),
		complete("tiny", 0.00001),
	}
}

func TestResultsAndDetails(t *testing.T) {
	var b strings.Builder
	for _, c := range cases() {
		b.WriteString(report.Result(c) + "\n")
		for _, d := range report.Details(c) {
			b.WriteString(report.Indent(d) + "\n")
		}
	}
	golden.Compare(t, filepath.Join("testdata", "results.txt"), b.String())
}

func TestAScoreBelowOneNeverLooksFull(t *testing.T) {
	for _, c := range []struct {
		name string
		v    float64
		not  string
	}{
		{"just below 1", 0.99999, "score 1 "},
		{"just above 0", 0.00001, "score 0 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := report.Result(complete("x", c.v)); strings.Contains(got, c.not) {
				t.Errorf("%v is shown as %q", c.v, got)
			}
		})
	}
}

func TestTotals(t *testing.T) {
	var b strings.Builder
	for _, s := range []orchestrator.Summary{
		{},
		{Planned: 3, Total: 3, Complete: 3, Scored: 3, MeanScore: ptr(2.0 / 3)},
		{Planned: 5, Total: 4, Complete: 2, Scored: 1, NoScore: 1, Incomplete: 2, Missing: 1, MeanScore: ptr(1.0), ByError: map[string]int{"internal": 1, "build_failed": 1}},
		{Planned: 2, Total: 2, Incomplete: 2, ByError: map[string]int{"reward_missing": 2}},
	} {
		b.WriteString(report.Totals(&s) + "\n")
	}
	golden.Compare(t, filepath.Join("testdata", "totals.txt"), b.String())
}

// play tells a console what happens in a run of two trials, with a tick every five seconds of the bubble's clock.
func play(c *report.Console) {
	step := func(after time.Duration, e orchestrator.Event) {
		for range int(after / (5 * time.Second)) {
			<-time.After(5 * time.Second)
			c.Tick(time.Now())
		}
		e.Time = time.Now()
		c.Tell(e)
	}
	list := cases()
	step(0, orchestrator.Event{Kind: orchestrator.OnRunStarted, Planned: 2, Text: "/runs/r1"})
	step(0, orchestrator.Event{Kind: orchestrator.OnTrialStarted, CaseID: "full"})
	step(0, orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Phase: orchestrator.PhaseBuild, CaseID: "full"})
	step(5*time.Second, orchestrator.Event{Kind: orchestrator.OnBuildStep, Phase: orchestrator.PhaseBuild, Text: "started [2/3] RUN \x1b[31mmake\x1b[0m"})
	step(10*time.Second, orchestrator.Event{Kind: orchestrator.OnPhaseFinished, Phase: orchestrator.PhaseBuild})
	step(0, orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Phase: orchestrator.PhaseAgent, CaseID: "full"})
	step(65*time.Second, orchestrator.Event{Kind: orchestrator.OnTrialFinished, Case: list[0]})
	step(0, orchestrator.Event{Kind: orchestrator.OnTrialStarted, CaseID: "refund"})
	step(0, orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Phase: orchestrator.PhaseBuild, CaseID: "refund"})
	step(5*time.Second, orchestrator.Event{Kind: orchestrator.OnNote, Text: "kept refund-1234; look inside"})
	step(0, orchestrator.Event{Kind: orchestrator.OnInterrupt, Text: "ending"})
	step(0, orchestrator.Event{Kind: orchestrator.OnTrialFinished, Case: list[6]})
	step(0, orchestrator.Event{Kind: orchestrator.OnRunFinished, Text: "/runs/r1/run.json"})
	c.Close()
}

func TestConsole(t *testing.T) {
	for _, c := range []struct {
		name  string
		live  bool
		width int
	}{{"plain", false, 0}, {"live", true, 80}, {"narrow", true, 30}} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			synctest.Test(t, func(*testing.T) { play(report.NewConsole(&b, c.live, c.width)) })
			// One escape sequence is the console's own.
			shown := strings.ReplaceAll(strings.ReplaceAll(b.String(), "\r\x1b[K", "\n<<"), "\x1b", "<ESC>")
			golden.Compare(t, filepath.Join("testdata", "console-"+c.name+".txt"), shown)
			if strings.Contains(shown, "<ESC>") || strings.Contains(shown, "\r") {
				t.Errorf("a task's control sequence reached the terminal:\n%q", b.String())
			}
			if !strings.HasSuffix(b.String(), "\n") {
				t.Errorf("the terminal is left in the middle of a line: %q", b.String())
			}
		})
	}
}

func TestALiveLineFitsTheTerminal(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 200), strings.Repeat("界", 100), strings.Repeat("e\u0301", 100)} {
		var b bytes.Buffer
		c := report.NewConsole(&b, true, 40)
		now := time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
		c.Tell(orchestrator.Event{Kind: orchestrator.OnTrialStarted, CaseID: name, Time: now})
		c.Tick(now.Add(time.Second))
		_, line, _ := strings.Cut(b.String(), "\x1b[K")
		columns := 0
		for _, r := range line {
			switch {
			case unicode.Is(unicode.Mn, r):
			case r >= 0x2e80 && r <= 0xffdc:
				columns += 2
			default:
				columns++
			}
		}
		if columns >= 40 {
			t.Errorf("%d columns on a terminal of 40: %q", columns, line)
		}
	}
}

func TestAConsoleThatIsHeldSaysEverythingLater(t *testing.T) {
	for _, live := range []bool{true, false} {
		var b bytes.Buffer
		c := report.NewConsole(&b, live, 80)
		now := time.Now()
		c.Tell(orchestrator.Event{Kind: orchestrator.OnTrialStarted, CaseID: "one", Time: now})
		c.Tick(now.Add(time.Second))
		resume := c.Hold()
		held := b.String()
		c.Tell(orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Phase: orchestrator.PhaseAgent, Time: now})
		c.Tell(orchestrator.Event{Kind: orchestrator.OnNote, Text: "first"})
		c.Tell(orchestrator.Event{Kind: orchestrator.OnNote, Text: "second"})
		c.Tick(now.Add(time.Hour))
		if b.String() != held || live && !strings.HasSuffix(held, "\r\x1b[K") {
			t.Errorf("written while it was held: %q, then %q", held, b.String())
		}
		resume()
		if got := strings.TrimPrefix(b.String(), held); got != "first\nsecond\n" {
			t.Errorf("afterwards: %q", got)
		}
	}
}

func TestAConsoleWhoseTerminalIsGoneGoesOn(t *testing.T) {
	synctest.Test(t, func(*testing.T) { play(report.NewConsole(closed{}, true, 80)) })
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in string }{
		{"escape sequences", "a\x1b[2Jb"},
		{"a C1 control", "a\u009b31mb"},
		{"line ends", "a\r\nb"},
		{"a bell and a backspace", "a\a\bb"},
		{"delete", "a\x7fb"},
		{"text that turns round", "a\u202eb\u202cc"},
		{"text that is embedded", "a\u202ab\u202bc"},
		{"text that is isolated", "a\u2066b\u2067c\u2068d\u2069e"},
		{"marks of direction", "a\u200eb\u200fc\u061cd"},
		{"line separators", "a\u2028b\u2029c"},
		{"not UTF-8", "a\xffb\xc0\x80"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := report.Clean(c.in)
			if !utf8.ValidString(got) {
				t.Errorf("%q is not UTF-8", got)
			}
			for _, r := range got {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
					t.Errorf("%q still holds %U", got, r)
				}
			}
			if !strings.HasPrefix(got, "a") || !strings.Contains(got, "b") {
				t.Errorf("%q lost its text", got)
			}
		})
	}
	for _, plain := range []string{"", "plain text", "Grüße, 日本, 👍", "a\u0301"} {
		if got := report.Clean(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb")
	f.Add("\u202e\u009b")
	f.Fuzz(func(t *testing.T, s string) {
		got := report.Clean(s)
		if strings.ContainsFunc(got, unicode.IsControl) || !utf8.ValidString(got) {
			t.Errorf("%q became %q", s, got)
		}
		if again := report.Clean(got); again != got {
			t.Errorf("%q became %q the second time", got, again)
		}
	})
}

func TestATasksTextCannotDrawOnTheTerminal(t *testing.T) {
	nasty := "\x1b]0;title\a\x1b[2J\r\n\u202e"
	k := broken(orchestrator.Fault{Code: "internal", Message: nasty + "\n" + nasty, Hint: nasty, Lines: []string{nasty}})
	k.ID = nasty
	k.Scores = []verifier.Score{{Name: nasty, Value: ptr(1.0)}, {Name: "x"}}
	k.Warnings = []orchestrator.Warning{{Code: "agent_error", Message: nasty}}
	for _, live := range []bool{false, true} {
		var b bytes.Buffer
		c := report.NewConsole(&b, live, 80)
		c.Tell(orchestrator.Event{Kind: orchestrator.OnTrialStarted, CaseID: nasty})
		c.Tell(orchestrator.Event{Kind: orchestrator.OnPhaseStarted, Phase: orchestrator.PhaseAgent})
		c.Tell(orchestrator.Event{Kind: orchestrator.OnNote, Text: nasty})
		c.Tell(orchestrator.Event{Kind: orchestrator.OnTrialFinished, Case: k})
		c.Tell(orchestrator.Event{Kind: orchestrator.OnRunFinished, Text: nasty})
		c.Close()
		rest := strings.ReplaceAll(b.String(), "\r\x1b[K", "")
		for _, bad := range []string{"\x1b", "\a", "\r", "\u202e"} {
			if strings.Contains(rest, bad) {
				t.Errorf("live %v: %q reached the terminal: %s", live, bad, fmt.Sprintf("%q", rest))
			}
		}
	}
}
