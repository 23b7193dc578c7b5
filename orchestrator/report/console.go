package report

import (
	"fmt"
	"io"
	"slices"
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
	broken  int        // of these, the incomplete ones
	trials  []*watched // under way, the longest first
	spoke   time.Time
	down    bool
	held    bool // somebody else has the screen
	waiting []string
}

// watched is a trial under way.
type watched struct {
	folder, id   string
	phase        orchestrator.Phase
	step         string
	since, began time.Time
}

// of is the trial that an event is about; nil if it is about none under way.
func (c *Console) of(e *orchestrator.Event) *watched {
	for _, t := range c.trials {
		if t.folder == e.Trial {
			return t
		}
	}
	return nil
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
		c.trials = append(c.trials, &watched{folder: e.Trial, id: e.CaseID, since: e.Time, began: e.Time})
	case orchestrator.OnPhaseStarted:
		if t := c.of(&e); t != nil {
			t.phase, t.since, t.step = e.Phase, e.Time, ""
		}
		c.draw(e.Time)
	case orchestrator.OnBuildStep:
		if t := c.of(&e); t != nil {
			t.step = e.Text
		}
		c.draw(e.Time)
	case orchestrator.OnTrialFinished:
		c.trials = slices.DeleteFunc(c.trials, func(t *watched) bool { return t.folder == e.Trial })
		if e.Case != nil {
			c.done++
			if e.Case.Status != orchestrator.Complete {
				c.broken++
			}
			c.result(e.Case, e.StandIn)
		}
		c.draw(e.Time)
	case orchestrator.OnInterrupt, orchestrator.OnNote, orchestrator.OnPaused, orchestrator.OnResumed, orchestrator.OnTrialRetried:
		c.down = c.down || e.Kind == orchestrator.OnInterrupt
		c.line(e.Text)
	case orchestrator.OnRunFinished:
		c.line("record: " + e.Text)
	case orchestrator.OnTrialQueued, orchestrator.OnPhaseFinished, orchestrator.OnDropped:
	}
}

// Tick is called every second or so. It moves the live line's clock, or utters the heartbeat.
func (c *Console) Tick(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.trials) == 0 || c.held {
		return
	}
	if c.live {
		c.draw(now)
	} else if now.Sub(c.spoke) >= Heartbeat {
		c.line(c.status(now))
		c.spoke = now
	}
}

func (c *Console) result(k *orchestrator.Case, standIn string) {
	if standIn != "" {
		standIn = "  (" + standIn + ")"
	}
	c.line(Result(k) + standIn)
	for _, d := range Details(k) {
		c.line("    " + d)
	}
}

// status is a line about what is under way: all of one trial, or of several those that have taken longest.
func (c *Console) status(now time.Time) string {
	done := fmt.Sprintf(", %d of %d done", c.done, c.planned)
	if c.broken > 0 {
		done += fmt.Sprintf(" (%d incomplete)", c.broken)
	}
	if len(c.trials) == 1 {
		t := c.trials[0]
		s := fmt.Sprintf("… %s: %s for %.0f s", t.id, t.phase, max(0, now.Sub(t.since).Seconds()))
		if t.step != "" {
			s += " (" + t.step + ")"
		}
		return s + done
	}
	const most = 3
	var longest []string
	for _, t := range c.trials[:min(most, len(c.trials))] {
		longest = append(longest, fmt.Sprintf("%s %s %.0f s", t.id, t.phase, max(0, now.Sub(t.began).Seconds())))
	}
	return fmt.Sprintf("… %d under way%s: %s", len(c.trials), done, strings.Join(longest, ", "))
}

// Hold leaves the screen to somebody else until resume is called. What there is to say is said then.
func (c *Console) Hold() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	c.held = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.held = false
		for _, s := range c.waiting {
			c.line(s)
		}
		c.waiting = nil
	}
}

// line prints a line of its own, above the live line if there is one.
func (c *Console) line(s string) {
	if c.held {
		c.waiting = append(c.waiting, s)
		return
	}
	c.erase()
	_, _ = fmt.Fprintln(c.w, Clean(s)) // nobody is left to tell when the console is gone
	c.spoke = time.Now()
}

func (c *Console) draw(now time.Time) {
	if !c.live || c.held || len(c.trials) == 0 {
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
