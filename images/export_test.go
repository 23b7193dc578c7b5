package images

import (
	"io"

	"github.com/moby/buildkit/client"
)

// PlainLog writes the log of a build that went as given and returns the events
// and the kept end of the step that failed.
func PlainLog(w io.Writer, statuses ...*client.SolveStatus) (events []Event, tail []string) {
	out := &fan{}
	out.join(&ear{log: w, progress: func(e Event) { events = append(events, e) }})
	t := newTrace(out)
	for _, s := range statuses {
		t.add(s)
	}
	if t.failed != nil {
		tail = t.failed.tail
	}
	return events, tail
}
