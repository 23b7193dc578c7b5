package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/width"

	"github.com/seatrial/seatrial/orchestrator"
)

// Heartbeat is how often a console without a live region says that something is still going on.
const Heartbeat = 30 * time.Second

// Console shows a run's events: on a capable terminal a live line under the results, else plain lines with a heartbeat.
type Console struct {
	mu      sync.Mutex
	w       io.Writer
	live    bool
	width   int
	shown   bool // a live line is on the screen
	planned int
	done    int
	trial   string
	phase   orchestrator.Phase
	step    string
	since   time.Time
	spoke   time.Time
	down    bool
}

// NewConsole writes to w. live makes it draw a line that it overwrites, width columns wide.
func NewConsole(w io.Writer, live bool, width int) *Console {
	return &Console{w: w, live: live, width: width, spoke: time.Now()}
}

// Tell shows an event.
func (c *Console) Tell(e orchestrator.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Kind {
	case orchestrator.OnRunStarted:
		c.planned = e.Planned
	case orchestrator.OnTrialStarted:
		c.trial, c.since, c.step = e.CaseID, e.Time, ""
	case orchestrator.OnPhaseStarted:
		c.phase, c.since, c.step = e.Phase, e.Time, ""
		c.draw(e.Time)
	case orchestrator.OnBuildStep:
		c.step = e.Text
		c.draw(e.Time)
	case orchestrator.OnTrialFinished:
		c.done++
		c.result(e.Case)
		c.trial, c.phase = "", ""
	case orchestrator.OnInterrupt, orchestrator.OnNote:
		c.down = c.down || e.Kind == orchestrator.OnInterrupt
		c.line(e.Text)
	case orchestrator.OnRunFinished:
		c.line("record: " + e.Text + "/run.json")
	case orchestrator.OnPhaseFinished:
	}
}

// Tick is called every second or so. It moves the live line's clock, or utters the heartbeat.
func (c *Console) Tick(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trial == "" {
		return
	}
	if c.live {
		c.draw(now)
	} else if now.Sub(c.spoke) >= Heartbeat {
		c.line(c.status(now))
		c.spoke = now
	}
}

func (c *Console) result(k *orchestrator.Case) {
	c.line(Result(k))
	for _, d := range Details(k) {
		c.line("    " + d)
	}
}

func (c *Console) status(now time.Time) string {
	s := fmt.Sprintf("… %s: %s for %.0f s", c.trial, c.phase, max(0, now.Sub(c.since).Seconds()))
	if c.step != "" {
		s += " (" + c.step + ")"
	}
	return s + fmt.Sprintf(", %d of %d done", c.done, c.planned)
}

// line prints a line of its own, above the live line if there is one.
func (c *Console) line(s string) {
	c.erase()
	_, _ = fmt.Fprintln(c.w, Clean(s)) // nobody is left to tell when the console is gone
	c.spoke = time.Now()
}

func (c *Console) draw(now time.Time) {
	if !c.live || c.trial == "" {
		return
	}
	_, _ = io.WriteString(c.w, "\r\x1b[K"+fit(Clean(c.status(now)), c.width-1))
	c.shown = true
}

// fit cuts a text to a number of columns; East Asian wide characters take two.
func fit(s string, columns int) string {
	used := 0
	for i, r := range s {
		w := 1
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			w = 2
		}
		if used += w; used > columns {
			return s[:i]
		}
	}
	return s
}

func (c *Console) erase() {
	if c.shown {
		_, _ = io.WriteString(c.w, "\r\x1b[K")
		c.shown = false
	}
}

// Close leaves the terminal with an empty line.
func (c *Console) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

// Indent puts spaces before each line, for text below a heading.
func Indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }
