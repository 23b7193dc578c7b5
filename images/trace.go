package images

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/moby/buildkit/client"
	digest "github.com/opencontainers/go-digest"
)

const (
	tailLines = 20       // kept of each step
	lineLimit = 4 << 10  // bytes kept of each line
	maxSteps  = 64 << 10 // of a build that are followed
)

// step is one vertex of a build as it went.
type step struct {
	number  int
	digest  digest.Digest
	name    string
	started bool
	ended   bool
	failure string
	partial []byte // of the last line
	tail    []string
}

// trace follows a build: it writes the plain log, tells events and keeps the end
// of each step's output. One goroutine uses it at a time.
type trace struct {
	out    *fan
	steps  map[digest.Digest]*step
	failed *step // the first that did
}

func newTrace(out *fan) *trace { return &trace{out: out, steps: map[digest.Digest]*step{}} }

func (t *trace) add(s *client.SolveStatus) {
	for _, v := range s.Vertexes {
		if st := t.step(v.Digest, v.Name); st != nil {
			t.vertex(st, v)
		}
	}
	for _, l := range s.Logs {
		if st := t.step(l.Vertex, ""); st != nil {
			t.text(st, l.Data)
		}
	}
}

func (t *trace) step(d digest.Digest, name string) *step {
	st := t.steps[d]
	if st == nil {
		if len(t.steps) >= maxSteps {
			return nil
		}
		st = &step{number: len(t.steps) + 1, digest: d}
		t.steps[d] = st
	}
	if name != "" {
		st.name = name
	}
	return st
}

func (t *trace) vertex(st *step, v *client.Vertex) {
	if v.Started != nil && !st.started {
		st.started = true
		t.out.printf("#%d %s\n", st.number, st.name)
		t.out.tell(Event{Kind: StepStarted, Step: st.name})
	}
	if v.Completed == nil || st.ended {
		return
	}
	st.ended = true
	t.flush(st)
	seconds := 0.0
	if v.Started != nil {
		seconds = v.Completed.Sub(*v.Started).Round(time.Millisecond).Seconds()
	}
	switch {
	case v.Error != "":
		st.failure = v.Error
		if t.failed == nil || calledOff(t.failed) {
			t.failed = st
		}
		t.out.printf("#%d ERROR: %s\n", st.number, v.Error)
		t.out.tell(Event{Kind: StepFailed, Step: st.name, Error: v.Error})
	case v.Cached:
		t.out.printf("#%d %s: CACHED\n", st.number, st.name)
		t.out.tell(Event{Kind: StepCached, Step: st.name})
	default:
		t.out.printf("#%d DONE %.1fs\n", st.number, seconds)
		t.out.tell(Event{Kind: StepDone, Step: st.name, Seconds: seconds})
	}
}

// calledOff tells whether a step ended only because another failed. Old engines
// say no more than this text.
func calledOff(st *step) bool { return strings.HasSuffix(st.failure, context.Canceled.Error()) }

// text takes output in pieces and goes on with whole lines. A line that is too
// long is cut where the limit is.
func (t *trace) text(st *step, data []byte) {
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		st.partial = append(st.partial, line[:min(len(line), lineLimit-min(lineLimit, len(st.partial)))]...)
		if whole {
			t.flushLine(st)
		}
		data = rest
	}
}

func (t *trace) flush(st *step) {
	if len(st.partial) > 0 {
		t.flushLine(st)
	}
}

func (t *trace) flushLine(st *step) {
	line := string(bytes.TrimRight(st.partial, "\r"))
	st.partial = st.partial[:0]
	t.out.printf("#%d %s\n", st.number, line)
	if len(st.tail) == tailLines {
		st.tail = append(st.tail[:0], st.tail[1:]...)
	}
	st.tail = append(st.tail, line)
}
