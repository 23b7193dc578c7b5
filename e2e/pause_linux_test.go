package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seatrial/seatrial/internal/pty"
)

func TestATrialWaitsForSomebodyInItsShell(t *testing.T) {
	t.Parallel()
	// The shell stays beyond the agent's limit.
	dir := newTask(t, "task", "-- task.toml --\n[agent]\ntimeout_sec = 4.0\n-- tests/test.sh --\n#!/bin/sh\nif [ -e /app/ok ] && [ -e /app/by-hand ]; then r=1; else r=0; fi\necho \"{\\\"reward\\\": $r}\" >/logs/verifier/reward.json\n")
	s := sitAtRun(t, "--pause-before", "agent", dir)
	s.sees("paused before the agent")
	if out := s.does("pwd; tty; echo $TERM"); !strings.Contains(out, "/app") || !strings.Contains(out, "/dev/pts/") || !strings.Contains(out, "xterm") {
		t.Errorf("the shell says %q", out)
	}
	until(t, 10*time.Second, "the shell knows the terminal's size", func() bool { return strings.Contains(s.does("stty size"), "30 100") })
	if err := pty.Resize(s.keys, 77, 22); err != nil {
		t.Fatal(err)
	}
	until(t, 10*time.Second, "the shell hears of another size", func() bool { return strings.Contains(s.does("stty size"), "22 77") })
	s.does("touch by-hand; sleep 5")
	s.types("exit 7\r")
	r := s.ran()
	expect(t, r, outcome{score: 1, warns: []string{"paused"}})
	if c := r.only(t); *c.Timing.Agent > 4 || c.Timing.Total > 25 {
		t.Errorf("the agent took %.1f s, all %.1f s", *c.Timing.Agent, c.Timing.Total)
	}
	clean(t, r.id)
}

func TestKeysInTheShellAreTheShells(t *testing.T) {
	t.Parallel()
	s := sitAtRun(t, "--pause-before", "agent", newTask(t, "task", ""))
	s.sees("paused before the agent")
	s.does("true")
	s.types("sleep 600\r")
	s.sees("sleep 600")
	time.Sleep(300 * time.Millisecond)
	s.types("\x03") // Ctrl-C
	s.does("true")
	s.types("\x10\r") // Ctrl-P is no key of the engine's
	s.sees("done-42")
	s.types("\x04") // Ctrl-D
	r := s.ran()
	expect(t, r, outcome{score: 1})
	clean(t, r.id)
}

func TestWorkByHandIsGraded(t *testing.T) {
	t.Parallel()
	s := sitAtRun(t, "--pause-before", "verifier", "--agent", "nop", newTask(t, "task", ""))
	s.sees("paused before the verifier")
	s.does("touch /app/ok")
	s.types("exit\r")
	r := s.ran()
	expect(t, r, outcome{score: 1, warns: []string{"paused"}})
	clean(t, r.id)
}

func TestAFailedTrialIsLookedIntoBeforeItGoes(t *testing.T) {
	t.Parallel()
	s := sitAtRun(t, "--pause-before", "teardown", "--shell-in", "web", newTask(t, "task", web+"-- tests/test.sh --\n#!/bin/sh\nexit 3\n"))
	s.sees("paused before the teardown")
	if out := s.does("cat /www/x"); !strings.Contains(out, "hello") {
		t.Errorf("the sidecar's shell says %q", out)
	}
	s.types("exit\r")
	r := s.ran()
	expect(t, r, outcome{code: "reward_missing", phase: "verifier", warns: []string{"paused"}})
	clean(t, r.id)
}

func TestARecordedTrialIsLookedIntoWhileItIsReproduced(t *testing.T) {
	t.Parallel()
	was := seatrialRun(t, newTask(t, "task", ""), "--capture")
	for _, c := range []struct{ verb, file string }{{"repro", "/app/by-hand"}, {"regrade", "/app/ok"}} {
		t.Run(c.verb, func(t *testing.T) {
			t.Parallel()
			events := filepath.Join(t.TempDir(), "events")
			s := sitAt(t, c.verb, was.trialDir(t), "--pause-before", "verifier", "--events", events)
			s.sees("paused before the verifier")
			s.does("touch " + c.file)
			if out := s.does("ls /app"); !strings.Contains(out, "ok") {
				t.Errorf("the shell sees %q", out)
			}
			s.types("exit\r")
			r := s.ran()
			expect(t, r, outcome{score: 1, warns: []string{"paused"}})
			if told, err := os.ReadFile(events); err != nil || !strings.Contains(string(told), `"kind":"run_finished"`) {
				t.Errorf("its events are %s, %v", told, err)
			}
			clean(t, r.id)
		})
	}
}

func TestTheTestsOwnStackIsLookedInto(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, service string }{{"verifier", "main"}, {"verifier", "verifier/main"}, {"teardown", "main"}, {"teardown", "verifier/main"}} {
		t.Run(c.before+" "+c.service, func(t *testing.T) {
			t.Parallel()
			s := sitAtRun(t, "--pause-before", c.before, "--shell-in", c.service, demo(t, "separate"))
			s.sees("paused before the " + c.before)
			s.does("ls /")
			s.types("exit\r")
			r := s.ran()
			expect(t, r, outcome{score: 1, warns: []string{"paused"}})
			clean(t, r.id)
		})
	}
}

func TestTheTerminalIsPutBack(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *seat {
		t.Helper()
		s := sitAtRun(t, "--pause-before", "agent", newTask(t, "task", ""))
		s.sees("paused before the agent")
		s.does("true")
		return s
	}
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 130} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := begin(t)
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if got := s.end(); got != code {
				t.Errorf("exit code %d, want %d", got, code)
			}
			clean(t, s.id)
		})
	}
	t.Run("when the container dies", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		for _, c := range containers(t, s.id) {
			if err := shared.engine.ContainerKill(t.Context(), c.ID, "KILL"); err != nil {
				t.Fatal(err)
			}
		}
		r := s.ran()
		expect(t, r, outcome{code: "sandbox_lost", phase: "agent", warns: []string{"paused"}})
		clean(t, r.id)
	})
}

func TestAShellThatIsNotThere(t *testing.T) {
	t.Parallel()
	// A service whose image has no shell: the trial goes on.
	compose := "-- environment/docker-compose.yaml --\nservices:\n  main: {}\n  bare:\n    build: ./bare\n-- environment/bare/Dockerfile --\nFROM busybox AS b\nFROM scratch\nCOPY --from=b /bin/busybox /sleep\nCMD [\"/sleep\", \"600\"]\n"
	s := sitAtRun(t, "--pause-before", "agent", "--shell-in", "bare", newTask(t, "task", compose))
	r := s.ran()
	expect(t, r, outcome{score: 1, warns: []string{"paused"}})
	if !strings.Contains(r.stderr, "paused before the agent") {
		t.Errorf("console:\n%s", r.stderr)
	}
	clean(t, r.id)
}

func TestPausesThatAreRefused(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	s := sit(t, "run", "--runs-dir", runs, "--pause-before", "agent", demo(t, "hello"), demo(t, "partial"))
	if code := s.end(); code != 2 || !strings.Contains(s.seen.String(), "2 are planned") {
		t.Errorf("exit code %d\n%s", code, s.seen.String())
	}
	if code, _, errs := seatrial(t, nil, "run", "--runs-dir", runs, "--pause-before", "agent", demo(t, "hello")); code != 2 || !strings.Contains(errs, "terminal") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
