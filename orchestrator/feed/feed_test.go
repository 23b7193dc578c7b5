package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/feed"
)

// notes are what was told of losses.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(s string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, s)
}

// reader is the other end of a stream: it takes nothing while it is stopped.
type reader struct {
	bytes.Buffer
	stopped chan struct{} // closed = it goes on
	took    int
}

func (r *reader) Write(p []byte) (int, error) {
	<-r.stopped
	r.took++
	return r.Buffer.Write(p)
}

func (r *reader) Close() error { return nil }

func note(text string) orchestrator.Event {
	return orchestrator.Event{Kind: orchestrator.OnNote, Text: text}
}

var finished = orchestrator.Event{Kind: orchestrator.OnRunFinished, Status: orchestrator.RunFinished}

// kinds are the kinds of a stream's lines, with the count of those that say what is missing.
func kinds(t *testing.T, text string) (out []string, missing int) {
	t.Helper()
	for l := range strings.Lines(text) {
		var e orchestrator.Event
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		out, missing = append(out, string(e.Kind)), missing+e.Dropped
	}
	return out, missing
}

func TestAReaderThatKeepsUpGetsAll(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var n notes
	f := feed.New(feed.To(&out), n.add)
	f.Tell(orchestrator.Event{Kind: orchestrator.OnRunStarted})
	f.Tell(note("<a&b>"))
	f.Tell(finished)
	f.Tell(note("late"))
	if err := f.Close(); err != nil || n.list != nil {
		t.Errorf("%v, %q", err, n.list)
	}
	f.Tell(note("later"))
	got, missing := kinds(t, out.String())
	if diff := cmp.Diff([]string{"run_started", "note", "run_finished"}, got); diff != "" || missing != 0 {
		t.Errorf("%d missing (-want +got):\n%s", missing, diff)
	}
}

func TestWhatDoesNotFitIsDroppedAndCountedWhereItIsMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &reader{stopped: make(chan struct{})}
		var n notes
		f := feed.New(func() (io.WriteCloser, error) { return r, nil }, n.add)
		big := strings.Repeat("x", feed.MostHeld/4)
		for range 10 {
			f.Tell(note(big)) // one is being written, three are held
			synctest.Wait()
		}
		if diff := cmp.Diff([]string{"events get lost: nobody takes them in time"}, n.list); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		f.Tell(finished)
		close(r.stopped)
		err := f.Close()
		var lost *feed.LostError
		if !errors.As(err, &lost) || lost.Lost != 6 || lost.All != 11 || lost.Cause != nil {
			t.Errorf("%v", err)
		}
		got, missing := kinds(t, r.String())
		if diff := cmp.Diff([]string{"note", "note", "note", "note", "dropped", "run_finished"}, got); diff != "" || missing != 6 {
			t.Errorf("%d missing (-want +got):\n%s", missing, diff)
		}
	})
}

func TestAReaderThatIsBehindAtTheEndGetsTheLastEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &reader{stopped: make(chan struct{})}
		f := feed.New(func() (io.WriteCloser, error) { return r, nil }, func(string) {})
		for range 5 {
			f.Tell(note("x"))
			synctest.Wait()
		}
		f.Tell(finished)
		go func() {
			time.Sleep(feed.DrainLimit + feed.EndLimit/2)
			close(r.stopped)
		}()
		began := time.Now()
		var lost *feed.LostError
		if err := f.Close(); !errors.As(err, &lost) || lost.Lost != 4 || lost.All != 6 {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took != feed.DrainLimit+feed.EndLimit/2 {
			t.Errorf("it took %s", took)
		}
		got, missing := kinds(t, r.String())
		if diff := cmp.Diff([]string{"note", "dropped", "run_finished"}, got); diff != "" || missing != 4 {
			t.Errorf("%d missing (-want +got):\n%s", missing, diff)
		}
	})
}

func TestNobodyWhoReadsHoldsUpNothingForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, start := range map[string]func(stop chan struct{}) (io.WriteCloser, error){
			"a write that never returns":  func(stop chan struct{}) (io.WriteCloser, error) { return &reader{stopped: stop}, nil },
			"a pipe that is never opened": func(stop chan struct{}) (io.WriteCloser, error) { <-stop; return nil, errors.New("the end") },
		} {
			stop := make(chan struct{})
			f := feed.New(func() (io.WriteCloser, error) { return start(stop) }, func(string) {})
			began := time.Now()
			f.Tell(note("x"))
			f.Tell(finished)
			if took := time.Since(began); took != 0 {
				t.Errorf("%s: telling took %s", name, took)
			}
			err := f.Close()
			if took := time.Since(began); took != feed.DrainLimit+feed.EndLimit {
				t.Errorf("%s: the end took %s", name, took)
			}
			if lost := new(feed.LostError); !errors.As(err, &lost) || lost.Lost != 2 {
				t.Errorf("%s: %v", name, err)
			}
			began = time.Now()
			unused := feed.New(func() (io.WriteCloser, error) { return start(stop) }, func(string) {})
			if err := unused.Close(); err != nil || time.Since(began) != 0 {
				t.Errorf("%s: without an event the end took %s, %v", name, time.Since(began), err)
			}
			close(stop)
			synctest.Wait()
		}
	})
}

func TestAReaderThatIsGoneEndsTheStreamAlone(t *testing.T) {
	t.Parallel()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	var n notes
	f := feed.New(func() (io.WriteCloser, error) { return in, nil }, n.add)
	for range 100 {
		f.Tell(note(strings.Repeat("x", 1<<20)))
	}
	f.Tell(finished)
	err = f.Close()
	var lost *feed.LostError
	if !errors.As(err, &lost) || lost.Lost != 101 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%v", err)
	}
	if len(n.list) != 1 || !strings.HasPrefix(n.list[0], "events get lost: ") {
		t.Errorf("told %q", n.list)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "events.jsonl")
	write := func(path string, more bool) error {
		start, err := feed.File(path, more)
		if err != nil {
			return err
		}
		f := feed.New(start, func(string) {})
		f.Tell(finished)
		return f.Close()
	}
	for _, c := range []struct {
		more  bool
		lines int
	}{{false, 1}, {true, 2}, {false, 1}} {
		if err := write(file, c.more); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if got, _ := kinds(t, string(data)); err != nil || len(got) != c.lines {
			t.Errorf("with more %v: %d lines, %v", c.more, len(got), err)
		}
	}
	if err := write(dir, false); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
	if err := write(filepath.Join(dir, "none", "x"), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if err := write(os.DevNull, false); err != nil {
		t.Errorf("a device: %v", err)
	}
}

func TestANamedPipeWaitsForItsReader(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	start, err := feed.File(pipe, false)
	if err != nil {
		t.Fatal(err)
	}
	f := feed.New(start, func(string) {})
	f.Tell(note("x"))
	f.Tell(finished)
	var text []byte
	read := make(chan error)
	go func() {
		var err error
		text, err = os.ReadFile(pipe)
		read <- err
	}()
	if err := errors.Join(f.Close(), <-read); err != nil {
		t.Fatal(err)
	}
	if got, _ := kinds(t, string(text)); len(got) != 2 {
		t.Errorf("%q", got)
	}
}
