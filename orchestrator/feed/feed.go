// Package feed streams the events of a run to a reader that may be slow or gone, and never waits for it.
package feed

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
)

// The bounds of a stream: MostHeld is what is held for a slow reader, in bytes of lines; DrainLimit is how long the end waits for one that is behind, and EndLimit how
// long it then waits for the last line to be taken.
const (
	MostHeld   = 8 << 20
	DrainLimit = 2 * time.Second
	EndLimit   = time.Second
)

// LostError says that a reader did not get all events.
type LostError struct {
	Lost, All int
	Cause     error // nil = nobody took them in time
}

func (e *LostError) Error() string {
	why := "nobody takes them in time"
	if e.Cause != nil {
		why = e.Cause.Error()
	}
	return fmt.Sprintf("%d of %d events did not get to their reader: %s", e.Lost, e.All, why)
}

func (e *LostError) Unwrap() error { return e.Cause }

// Feed writes events as lines, in their order. What a reader does not take in time is dropped, and counted in the stream where it is missing.
type Feed struct {
	note func(string)

	mu     sync.Mutex
	change *sync.Cond // of what follows
	held   []line
	size   int // of held, in bytes
	gap    int // events dropped since the last line that was held
	closed bool
	broken error

	over, noted  bool // the run has finished; somebody was told of a loss
	all, written int  // events
	done         chan struct{}
}

// line is an event to be written.
type line struct {
	text []byte
	gap  int // events dropped right before it
}

// New begins a stream to what start opens, beside the caller: it may wait. note hears at most once, from any goroutine, that events get lost.
func New(start func() (io.WriteCloser, error), note func(string)) *Feed {
	f := &Feed{note: note, done: make(chan struct{})}
	f.change = sync.NewCond(&f.mu)
	go f.write(start) // Close waits for it, but not for a write that never returns
	return f
}

// Tell takes an event and returns at once. Nothing is taken after the event that the run has finished, which always is.
func (f *Feed) Tell(e orchestrator.Event) {
	if text := e.Line(); f.take(text, e.Kind == orchestrator.OnRunFinished) {
		return
	}
	f.lose("nobody takes them in time")
}

// take says whether the event is held, or was not wanted.
func (f *Feed) take(text []byte, last bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over || f.closed {
		return true
	}
	f.all++
	f.over = last
	if f.broken != nil { // that has been told
		return true
	}
	if len(text) == 0 || len(f.held) > 0 && f.size+len(text) > MostHeld && !last {
		f.gap++
		return false
	}
	f.held, f.size, f.gap = append(f.held, line{text: text, gap: f.gap}), f.size+len(text), 0
	f.change.Broadcast()
	return true
}

// lose tells, the first time, that events get lost.
func (f *Feed) lose(why string) {
	f.mu.Lock()
	first := !f.noted
	f.noted = true
	f.mu.Unlock()
	if first {
		f.note("events get lost: " + why)
	}
}

// write brings line after line to the reader.
func (f *Feed) write(start func() (io.WriteCloser, error)) {
	defer close(f.done)
	w, err := start()
	if err != nil {
		f.fail(err)
		return
	}
	for {
		l, ok := f.next()
		if !ok {
			break
		}
		if _, err := w.Write(l.bytes()); err != nil {
			f.fail(err)
			break
		}
		f.mu.Lock()
		f.written++
		f.mu.Unlock()
	}
	_ = w.Close() // all was written, or it is told of
}

// next waits for a line. There is none any more when the stream is closed and all is written.
func (f *Feed) next() (line, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.held) == 0 {
		if f.closed {
			return line{}, false
		}
		f.change.Wait()
	}
	l := f.held[0]
	f.held, f.size = f.held[1:], f.size-len(l.text)
	return l, true
}

// bytes are the line's, after one that says what is missing before it.
func (l line) bytes() []byte {
	if l.gap == 0 {
		return l.text
	}
	missing := orchestrator.Event{Time: time.Now(), Kind: orchestrator.OnDropped, Dropped: l.gap}
	return append(missing.Line(), l.text...)
}

// fail ends the stream: its reader is gone.
func (f *Feed) fail(err error) {
	f.mu.Lock()
	f.broken, f.held, f.size = err, nil, 0
	f.mu.Unlock()
	f.lose(err.Error())
}

// Close ends the stream, within DrainLimit and EndLimit. A reader that is still behind after the first of them gets the last event, if it takes it, and not what
// was before it. The error is a *LostError.
func (f *Feed) Close() error {
	f.mu.Lock()
	f.closed = true
	f.change.Broadcast()
	f.mu.Unlock()
	if f.told() > 0 && !f.ended(DrainLimit) {
		f.skip()
		f.ended(EndLimit)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.written == f.all {
		return nil
	}
	return &LostError{Lost: f.all - f.written, All: f.all, Cause: f.broken}
}

// told counts the events so far.
func (f *Feed) told() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all
}

// ended waits until all is written, for limit at most.
func (f *Feed) ended(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-f.done:
		return true
	case <-t.C:
		return false
	}
}

// skip drops all lines that are held but the last.
func (f *Feed) skip() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.held) == 0 {
		return
	}
	last := f.held[len(f.held)-1]
	for _, l := range f.held[:len(f.held)-1] {
		last.gap += l.gap + 1
	}
	f.held = slices.Replace(f.held, 0, len(f.held), last)
	f.size = len(last.text)
}
