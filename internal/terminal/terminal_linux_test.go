package terminal_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/pty"
	"github.com/seatrial/seatrial/internal/terminal"
)

func open(t *testing.T) (keys, screen *os.File) {
	t.Helper()
	keys, screen, err := pty.Open(100, 30)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _, _ = keys.Close(), screen.Close() })
	return keys, screen
}

func cooked(t *testing.T, screen *os.File) bool {
	t.Helper()
	ok, err := pty.Cooked(screen)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestWhoHasATerminal(t *testing.T) {
	_, screen := open(t)
	file, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		name string
		in   io.Reader
		outs []io.Writer
		want bool
	}{
		{"all three are", screen, []io.Writer{screen, screen}, true},
		{"standard output is a file", screen, []io.Writer{file, screen}, true},
		{"nowhere to write to", screen, []io.Writer{file, file}, false},
		{"standard input is a file", file, []io.Writer{screen, screen}, false},
		{"no files at all", strings.NewReader(""), []io.Writer{io.Discard}, false},
	} {
		if got := terminal.Find(c.in, c.outs...) != nil; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestEachKeyComesAsItIsPressed(t *testing.T) {
	keys, screen := open(t)
	err := terminal.Find(screen, screen).Lend(func(s *terminal.Screen) error {
		if cooked(t, screen) {
			t.Error("the terminal is not raw")
		}
		if got := <-s.Sizes; got != (terminal.Size{Columns: 100, Rows: 30}) {
			t.Errorf("size %v", got)
		}
		if _, err := keys.WriteString("\x03\x1ba"); err != nil { // Ctrl-C, Escape
			return err
		}
		var got [3]byte
		if _, err := io.ReadFull(s.In, got[:]); err != nil || string(got[:]) != "\x03\x1ba" {
			t.Errorf("read %q, %v", got, err)
		}
		_, err := io.WriteString(s.Out, "line\n")
		return err
	})
	if err != nil || !cooked(t, screen) {
		t.Errorf("error %v, put back %v", err, cooked(t, screen))
	}
	var got [5]byte
	if _, err := io.ReadFull(keys, got[:]); err != nil || string(got[:]) != "line\n" {
		t.Errorf("seen %q, %v", got, err)
	}
}

func TestTheTerminalIsPutBackWhateverHappens(t *testing.T) {
	keys, screen := open(t)
	var seen bytes.Buffer
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(&seen, keys) })
	gone := errors.New("the engine is gone")
	if err := terminal.Find(screen, screen).Lend(func(*terminal.Screen) error { return gone }); !errors.Is(err, gone) || !cooked(t, screen) {
		t.Errorf("error %v, put back %v", err, cooked(t, screen))
	}
	func() {
		defer func() { _ = recover() }()
		_ = terminal.Find(screen, screen).Lend(func(*terminal.Screen) error { panic("a bug") })
	}()
	if !cooked(t, screen) {
		t.Error("it is not put back after a panic")
	}
	_ = screen.Close()
	reading.Wait()
	if n := strings.Count(seen.String(), "\x1b[?25h"); n != 2 {
		t.Errorf("the cursor was shown %d times: %q", n, seen.String())
	}
}

func TestAReadThatWaitsEndsAndTakesNothing(t *testing.T) {
	keys, screen := open(t)
	in := terminal.Input(screen)
	ended := make(chan error, 1)
	go func() {
		_, err := in.Read(make([]byte, 8))
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond)
	_ = in.Close()
	select {
	case err := <-ended:
		if !errors.Is(err, io.EOF) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it did not end")
	}
	if _, err := keys.WriteString("next\n"); err != nil {
		t.Fatal(err)
	}
	var got [5]byte
	if _, err := io.ReadFull(terminal.Input(screen), got[:]); err != nil || string(got[:]) != "next\n" {
		t.Errorf("the next reader has %q, %v", got, err)
	}
}

func TestInputThatIsNoFile(t *testing.T) {
	in := terminal.Input(strings.NewReader("x"))
	if got, err := io.ReadAll(in); err != nil || string(got) != "x" || in.Close() != nil {
		t.Errorf("%q, %v", got, err)
	}
}
