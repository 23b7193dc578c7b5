package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// guardWord tells the guard that the run has cleaned up after itself.
const guardWord = "done\n"

// guardEnv carries the engine's address to the guard.
const guardEnv = "SEATRIAL_GUARD_HOST"

// guardOwner carries the run's process to the guard: another process may go on with the run while the guard still sweeps after the first.
const guardOwner = "SEATRIAL_GUARD_OWNER"

// Guard is a second process that outlives a run which is killed without a chance to clean up. It holds a pipe from the run; when that
// breaks without a word, it removes everything that bears the labels of the run and of the process.
type Guard struct {
	pipe io.WriteCloser
	cmd  *exec.Cmd
}

// StartGuard starts the guard of a run: argv is this program's own executable and what makes it call GuardMain. The guard is in a session of
// its own, so that no signal meant for the run reaches it.
func (e *Engine) StartGuard(ctx context.Context, argv ...string) (*Guard, error) {
	host, err := json.Marshal(e.host)
	if err != nil {
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	// The guard must not end with ctx: it is there for the case that nothing else ends well.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...) //nolint:gosec // our own executable
	cmd.Env = append(os.Environ(), guardEnv+"="+string(host), guardOwner+"="+Self().String())
	cmd.SysProcAttr = ownSession()
	cmd.Dir = "/"
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	return &Guard{pipe: pipe, cmd: cmd}, nil
}

// Release tells the guard that nothing is left to do, and waits for its end.
func (g *Guard) Release() error {
	_, err := io.WriteString(g.pipe, guardWord)
	_ = g.pipe.Close()
	if werr := g.cmd.Wait(); err == nil && werr != nil {
		err = werr
	}
	if err != nil {
		return fmt.Errorf("the guard ended early: %w", err)
	}
	return nil
}

// Abandon closes the pipe without a word: the guard will sweep the run.
func (g *Guard) Abandon() { _ = g.pipe.Close() }

// PID is the guard's process id.
func (g *Guard) PID() int { return g.cmd.Process.Pid }

// GuardMain is the guard's life. It returns at once when the run said that it is done, and otherwise after the run's objects are
// removed. Calls that the run had on their way to the engine may still make something, so it sweeps more than once.
func GuardMain(ctx context.Context, in io.Reader, run string) error {
	word, err := io.ReadAll(io.LimitReader(in, int64(len(guardWord))+1))
	if err == nil && string(word) == guardWord {
		return nil
	}
	var host Host
	if err := json.Unmarshal([]byte(os.Getenv(guardEnv)), &host); err != nil {
		return fmt.Errorf("the guard's engine address: %w", err)
	}
	ctx, cancel := within(ctx, 10*time.Minute)
	defer cancel()
	e, err := Connect(host)
	if err != nil {
		return err
	}
	defer e.Close()
	return guardSweep(ctx, e, run)
}

func guardSweep(ctx context.Context, e *Engine, run string) error {
	for n, wait := 0, 200*time.Millisecond; ; {
		err := e.sweepOnce(ctx, run)
		switch {
		case err != nil:
			wait = min(2*wait, 10*time.Second) // the engine is away, or busy
		case n == 2:
			return nil
		default:
			n++
			wait = time.Duration(n) * time.Second
		}
		if perr := pause(ctx, wait); perr != nil {
			return errors.Join(err, perr)
		}
	}
}

func (e *Engine) sweepOnce(ctx context.Context, run string) error {
	ctx, cancel := within(ctx, time.Minute)
	defer cancel()
	if _, err := e.Ping(ctx); err != nil {
		return err
	}
	return e.SweepRun(ctx, run, os.Getenv(guardOwner))
}
