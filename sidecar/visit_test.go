package sidecar_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/pkg/stdcopy"

	"github.com/seatrial/seatrial/internal/terminal"
	"github.com/seatrial/seatrial/sidecar"
)

// guestbook is an engine with one kept container and one command in it, which play plays.
type guestbook struct {
	answers
	play func(in *bufio.Reader, out io.Writer) // nil = it never ends

	mu      sync.Mutex
	asked   map[string]any // what the command was created with
	sizes   []string
	refusal int  // of the first few sizes
	breaks  bool // the stream, before the command ends
	dies    bool // the container
	ended   bool // the command
	code    int
}

func newGuestbook(play func(*bufio.Reader, io.Writer)) *guestbook {
	return &guestbook{play: play, answers: sound().but("containers/json", []any{stackOf("t", "box-kept", "paused", owner, nil)})}
}

func (g *guestbook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, path, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	g.mu.Lock()
	defer g.mu.Unlock()
	switch path {
	case "containers/box-kept/exec":
		_ = json.NewDecoder(r.Body).Decode(&g.asked)
		say(w, map[string]string{"Id": "e1"})
	case "exec/e1/resize":
		if g.refusal > 0 {
			g.refusal--
			http.Error(w, `{"message": "not begun"}`, http.StatusConflict)
			return
		}
		g.sizes = append(g.sizes, r.URL.Query().Get("w")+"x"+r.URL.Query().Get("h"))
	case "exec/e1/json":
		say(w, map[string]any{"ID": "e1", "Running": !g.ended, "ExitCode": g.code})
	case "containers/box-kept/json":
		say(w, map[string]any{"Id": "box-kept", "State": map[string]any{"Running": !g.dies, "ExitCode": 137}})
	case "exec/e1/start":
		g.start(w, r)
	default:
		g.answers.ServeHTTP(w, r)
	}
}

// start plays the command's part, without the lock.
func (g *guestbook) start(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	c, rw, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	fmt.Fprint(c, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
	go func() {
		defer c.Close()
		if g.play == nil {
			_, _ = io.Copy(io.Discard, rw)
			return
		}
		g.play(rw.Reader, c)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.ended = !g.breaks
	}()
}

func (g *guestbook) enter(t *testing.T) *sidecar.KeptStack {
	t.Helper()
	k, err := connect(t, serve(t, g)).Reopen(t.Context(), "r1", "t")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestACommandHasSeparateStreams(t *testing.T) {
	g := newGuestbook(func(in *bufio.Reader, out io.Writer) {
		given, _ := io.ReadAll(in) // to its end
		_, _ = stdcopy.NewStdWriter(out, stdcopy.Stdout).Write(bytes.ToUpper(given))
		_, _ = stdcopy.NewStdWriter(out, stdcopy.Stderr).Write([]byte("hm"))
	})
	g.code = 42
	var out, errs bytes.Buffer
	code, err := g.enter(t).Visit(t.Context(), "main", sidecar.Visit{Argv: []string{"tr"}, Env: map[string]string{"A": "1"}, User: "u", Dir: "/d", In: terminal.Input(strings.NewReader("abc")), Out: &out, Err: &errs})
	if err != nil || code != 42 || out.String() != "ABC" || errs.String() != "hm" {
		t.Errorf("code %d, %q, %q, %v", code, out.String(), errs.String(), err)
	}
	if g.asked["Tty"] == true || g.asked["User"] != "u" || g.asked["WorkingDir"] != "/d" || fmt.Sprint(g.asked["Env"], g.asked["Cmd"]) != "[A=1] [tr]" {
		t.Errorf("asked for %v", g.asked)
	}
}

func TestAShellHasATerminalOfTheRightSize(t *testing.T) {
	sizes := make(chan terminal.Size, 1)
	g := newGuestbook(func(in *bufio.Reader, out io.Writer) {
		line, _ := in.ReadString('\r')
		fmt.Fprintf(out, "$ %s\r\n", line)
		for range 200 { // until it has heard of both sizes
			time.Sleep(10 * time.Millisecond)
			if line, _ := in.ReadString('\x04'); line != "" {
				return
			}
		}
	})
	g.refusal = 2
	sizes <- terminal.Size{Columns: 100, Rows: 30}
	keys, typed := io.Pipe()
	var out bytes.Buffer
	var typing sync.WaitGroup
	typing.Go(func() {
		_, _ = io.WriteString(typed, "exit\r")
		g.await(t, 1)
		sizes <- terminal.Size{Columns: 80, Rows: 24}
		g.await(t, 2)
		_, _ = io.WriteString(typed, "\x04")
	})
	code, err := g.enter(t).Visit(t.Context(), "main", sidecar.Visit{Argv: sidecar.ShellArgv(), Screen: &terminal.Screen{In: keys, Out: &out, Sizes: sizes}})
	typing.Wait()
	if err != nil || code != 0 || out.String() != "$ exit\r\r\n" {
		t.Errorf("code %d, %q, %v", code, out.String(), err)
	}
	if got := strings.Join(g.sizes, " "); got != "100x30 80x24" || g.asked["Tty"] != true || !strings.Contains(fmt.Sprint(g.asked["DetachKeys"]), "ctrl-^,ctrl-^") {
		t.Errorf("sizes %q, asked for %v", got, g.asked)
	}
}

// await waits for a number of sizes.
func (g *guestbook) await(t *testing.T, n int) {
	t.Helper()
	for range 1000 {
		g.mu.Lock()
		got := len(g.sizes)
		g.mu.Unlock()
		if got >= n {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d sizes did not come", n)
}

func TestCommandsThatDoNotEnd(t *testing.T) {
	called := errors.New("called off")
	ends := func(*bufio.Reader, io.Writer) {}
	for _, c := range []struct {
		name  string
		g     *guestbook
		after time.Duration // that it is called off; 0 = never
		want  func(error) bool
	}{
		{"one that is called off", newGuestbook(nil), 50 * time.Millisecond, func(err error) bool { return errors.Is(err, called) }},
		{"one whose stream breaks", newGuestbook(ends), 0, func(err error) bool {
			var lost *sidecar.LostError
			return errors.As(err, &lost) && lost.Engine
		}},
		{"one whose container dies", newGuestbook(ends), 0, func(err error) bool {
			var dead *sidecar.DeadError
			return errors.As(err, &dead) && dead.ExitCode == 137
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c.g.breaks, c.g.dies = true, strings.Contains(c.name, "dies")
			if c.after > 0 {
				time.AfterFunc(c.after, func() { cancel(called) })
			}
			in, _ := io.Pipe() // nobody types
			_, err := c.g.enter(t).Visit(ctx, "main", sidecar.Visit{Argv: []string{"x"}, In: in, Out: io.Discard, Err: io.Discard})
			if !c.want(err) {
				t.Errorf("error %v", err)
			}
		})
	}
}
