//go:build linux

package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInit(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Exit int
		Out  string
		Err  string // a part of it
	}
	for _, c := range []struct {
		name string
		argv []string
		want outcome
	}{
		{"the command's exit code is the container's", sh("echo hi; exit 9"), outcome{9, "hi\n", ""}},
		{"a command that a signal ends gives 128 and its number", sh("kill -KILL $$"), outcome{137, "", ""}},
		{"a missing command gives 127", []string{"/none/such"}, outcome{127, "", "does not exist"}},
		{"a command that may not run gives 126", []string{"/etc/passwd"}, outcome{126, "", "execute bit"}},
		{"what the command leaves behind does not hold it up", sh("sleep 100 & exit 2"), outcome{2, "", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			unshared := inContainer(t, c.argv)
			cmd := exec.CommandContext(t.Context(), unshared[0], unshared[1:]...)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run() // its exit code is looked at
			got := outcome{Exit: cmd.ProcessState.ExitCode(), Out: out.String()}
			if strings.Contains(errs.String(), c.want.Err) {
				got.Err = c.want.Err
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s (-want +got)\n%s", errs.String(), d)
			}
		})
	}
}

func TestInitSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		verb   []string
		signal syscall.Signal
		want   int
	}{
		{"TERM ends init at once", []string{"init"}, syscall.SIGTERM, 143},
		{"INT ends init at once", []string{"init"}, syscall.SIGINT, 130},
		{"TERM ends init although its command ignores it", append([]string{"init", "--"}, sh(`trap "" TERM; echo ready; while :; do sleep 1; done`)...), syscall.SIGTERM, 143},
		{"other signals go to the command", append([]string{"init", "--"}, sh(`trap "exit 5" USR1; echo ready; while :; do sleep 0.01; done`)...), syscall.SIGUSR1, 5},
		{"hold takes TERM for a success", []string{"hold"}, syscall.SIGTERM, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), helper, c.verb...)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }()
			if len(c.verb) > 2 {
				if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
					t.Fatalf("%q %v", line, err)
				}
			} else {
				caught(t, cmd.Process.Pid)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_ = out.Close()
			_ = cmd.Wait() // its exit code is looked at
			if got := cmd.ProcessState.ExitCode(); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}

func TestInitLivesThroughOtherSignals(t *testing.T) {
	t.Parallel()
	argv := inContainer(t, sh(`for i in 1 2 3; do for s in HUP QUIT ILL ABRT SEGV BUS FPE PIPE USR1 ALRM; do kill -$s 1; done; done; trap '' HUP; echo alive; exit 8`))
	// The command itself gets what is forwarded, so it must not mind.
	argv[len(argv)-1] = `trap '' HUP QUIT ILL ABRT SEGV BUS FPE PIPE USR1 ALRM; ` + argv[len(argv)-1]
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	out, _ := cmd.Output() // its exit code is looked at
	if string(out) != "alive\n" || cmd.ProcessState.ExitCode() != 8 {
		t.Errorf("%q, exit code %d", out, cmd.ProcessState.ExitCode())
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"nonsense"}, {"run"}, {"run", "{"}, {"run", `{"argv":["true"],"no_such_key":1}`}, {"drain", "x"}} {
		cmd := exec.CommandContext(t.Context(), helper, args...)
		if out, err := cmd.Output(); err == nil || len(out) > 0 {
			t.Errorf("%q: %q, %v", args, out, err)
		}
	}
}

// caught waits until the helper handles signals: it does that first, and then makes its spare threads.
func caught(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "settling", func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		threads := 0
		for line := range strings.Lines(string(b)) {
			_, _ = fmt.Sscanf(line, "Threads: %d", &threads)
		}
		return threads > 6
	})
}
