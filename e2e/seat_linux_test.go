package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/pty"
)

// seat is the program with a terminal, and somebody who sits at it.
type seat struct {
	t            *testing.T
	id, dir      string // of the run, if it is one
	keys, screen *os.File
	cmd          *exec.Cmd
	seen         lockedBuffer
	mark         int // how much of it was looked at
	exited       chan struct{}
}

// sit starts the program at a terminal of 100 columns and 30 rows.
func sit(t *testing.T, args ...string) *seat {
	t.Helper()
	need(t)
	s := &seat{t: t, exited: make(chan struct{})}
	var err error
	if s.keys, s.screen, err = pty.Open(100, 30); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), runLimit)
	s.cmd = exec.CommandContext(ctx, shared.binary, args...)
	s.cmd.Env = append(os.Environ(), "TERM=xterm")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.screen, s.screen, s.screen
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(&s.seen, s.keys) }()
	go func() {
		defer close(s.exited)
		defer cancel()
		_ = s.cmd.Wait() // its state tells
		s.drain()
		if ctx.Err() != nil {
			t.Errorf("%v did not end within %s; it was killed\n%s", args, runLimit, s.seen.String())
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.exited
		_, _ = s.screen.Close(), s.keys.Close()
	})
	return s
}

// drain waits until all that was written to the terminal has been seen: what is written last comes last.
func (s *seat) drain() {
	const last = "-- the program has ended --"
	if _, err := s.screen.WriteString("\r\n" + last + "\r\n"); err != nil {
		s.t.Error(err)
		return
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.seen.String(), last); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Error("the terminal was not read to its end")
			return
		}
	}
}

// sitAtRun starts a run at a terminal.
func sitAtRun(t *testing.T, args ...string) *seat {
	t.Helper()
	return sitAt(t, "run", args...)
}

func sitAt(t *testing.T, verb string, args ...string) *seat {
	t.Helper()
	need(t)
	shared.slots <- struct{}{}
	t.Cleanup(func() { <-shared.slots })
	runs, id := filepath.Join(t.TempDir(), "runs"), "e2e-"+randomID()
	s := sit(t, append([]string{verb, "--runs-dir", runs, "--run-id", id}, args...)...)
	s.id, s.dir = id, filepath.Join(runs, id)
	return s
}

// types presses keys.
func (s *seat) types(keys string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// sees waits until the terminal shows a text beyond what was seen before.
func (s *seat) sees(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		over := false
		select {
		case <-s.exited: // what it wrote has all been seen by then
			over = true
		default:
		}
		all := s.seen.String()
		if i := strings.Index(all[s.mark:], text); i >= 0 {
			s.mark += i + len(text)
			return
		}
		if over {
			s.t.Fatalf("it ended without %q:\n%s", text, all)
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("no %q after a minute:\n%s", text, all)
		}
	}
}

// does runs a command in the shell and waits until it has: what is typed does not hold what is waited for.
func (s *seat) does(command string) (out string) {
	s.t.Helper()
	from := s.mark
	s.types(command + "; echo done-$((40+2))\r")
	s.sees("done-42")
	return s.seen.String()[from:s.mark]
}

// end waits for the program's end, sees that the terminal is as it was, and returns the exit code.
func (s *seat) end() int {
	s.t.Helper()
	<-s.exited
	if cooked, err := pty.Cooked(s.screen); err != nil || !cooked {
		s.t.Errorf("the terminal was not put back: %v", err)
	}
	return s.cmd.ProcessState.ExitCode()
}

// ran is the run, when it has ended.
func (s *seat) ran() *ran {
	s.t.Helper()
	r := &ran{id: s.id, dir: s.dir, code: s.end(), stderr: s.seen.String()}
	readJSON(s.t, filepath.Join(s.dir, "run.json"), &r.record)
	r.record.check(s.t)
	return r
}

// enters runs "seatrial enter" without a terminal, with something to read.
func enters(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	need(t)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, shared.binary, append([]string{"enter"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// states are those of a run's containers, sorted by their services.
func states(t *testing.T, id string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range containers(t, id) {
		out[c.Labels["dev.seatrial.service"]] = fmt.Sprint(c.State)
	}
	return out
}
