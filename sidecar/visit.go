package sidecar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/seatrial/seatrial/internal/terminal"
)

// Visit is a command in a container that somebody's own streams are attached to. It runs beside what is there, without the helper and without a limit.
type Visit struct {
	Argv []string
	// Env is added to the container's own.
	Env map[string]string
	// User and Dir are the container's own where they are empty.
	User, Dir string
	// Screen gives the command a terminal. Without one it has In, Out and Err, of which none may be nil.
	Screen   *terminal.Screen
	In       io.ReadCloser // closed when the command has ended
	Out, Err io.Writer
}

// ShellArgv runs the best shell that a container has.
func ShellArgv() []string {
	return []string{"sh", "-c", "command -v bash >/dev/null 2>&1 && exec bash; exec sh"}
}

// noDetach are keys that nobody presses: the engine's own for leaving a command running, Ctrl-P Ctrl-Q, would make Ctrl-P useless in a shell.
const noDetach = "ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^,ctrl-^"

// Visit runs a command for somebody in a service's container and returns its exit code. Errors: a *DeadError when the container died meanwhile, a *LostError
// when the command's fate is unknown, the cause of ctx's end. The command goes on in the container after the last two.
func (s *Stack) Visit(ctx context.Context, service string, v Visit) (int, error) {
	id := s.ID(service)
	if id == "" {
		return 0, fmt.Errorf("%w: %s", errNoStack, service)
	}
	return s.eng.visit(ctx, service, id, v)
}

func (e *Engine) visit(ctx context.Context, service, id string, v Visit) (int, error) {
	opt := container.ExecOptions{User: v.User, WorkingDir: v.Dir, Cmd: v.Argv, Env: envList(v.Env), AttachStdin: true, AttachStdout: true, AttachStderr: true}
	if v.Screen != nil {
		opt.Tty, opt.DetachKeys = true, noDetach
	}
	ex, err := e.api.ContainerExecCreate(ctx, id, opt)
	if err != nil {
		return 0, fmt.Errorf("begin a command in service %s: %w", service, err)
	}
	conn, err := e.startExec(ctx, ex.ID, opt.Tty)
	if err != nil {
		return 0, fmt.Errorf("begin a command in service %s: %w", service, err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	out := &counted{r: conn}
	defer e.overhear(ctx, ex.ID, out, conn)()
	err = e.pass(ctx, ex.ID, v, conn, out)
	return e.visited(ctx, service, id, ex.ID, err)
}

// pass passes everything on in both directions until the command's output ends.
func (e *Engine) pass(ctx context.Context, execID string, v Visit, conn io.Writer, out io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	in := v.In
	var beside sync.WaitGroup
	if v.Screen != nil {
		in = v.Screen.In
		beside.Go(func() { e.resize(ctx, execID, v.Screen.Sizes) })
	}
	beside.Go(func() {
		_, _ = io.Copy(conn, in) // a command that reads no more is no error
		// With a terminal, the engine would take the end of what is typed for the end of all.
		if c, ok := conn.(interface{ CloseWrite() error }); ok && v.Screen == nil && ctx.Err() == nil {
			_ = c.CloseWrite()
		}
	})
	var err error
	if v.Screen != nil {
		_, err = io.Copy(v.Screen.Out, out)
	} else {
		_, err = stdcopy.StdCopy(v.Out, v.Err, out)
	}
	cancel()
	_ = in.Close()
	beside.Wait()
	return err //nolint:wrapcheck // the caller says what it was doing
}

// resize gives a command's terminal the size of the person's. An engine that has not quite begun the command refuses that for a moment.
func (e *Engine) resize(ctx context.Context, execID string, sizes <-chan terminal.Size) {
	const tries = 20
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-sizes:
			for range tries {
				err := e.api.ContainerExecResize(ctx, execID, container.ResizeOptions{Width: uint(max(0, s.Columns)), Height: uint(max(0, s.Rows))})
				if err == nil || pause(ctx, 50*time.Millisecond) != nil {
					break
				}
			}
		}
	}
}

// visited finds out how a command ended whose output did. The engine may need a moment to know.
func (e *Engine) visited(ctx context.Context, service, id, execID string, err error) (int, error) {
	if ctx.Err() != nil {
		return 0, fmt.Errorf("a command in service %s: %w", service, context.Cause(ctx))
	}
	look, cancel := within(ctx, examineLimit)
	defer cancel()
	lost := &LostError{Service: service, ExitCode: -1, Engine: true, Cause: err}
	for {
		ex, ierr := e.api.ContainerExecInspect(look, execID)
		if ierr == nil && !ex.Running {
			return ex.ExitCode, nil
		}
		if st, serr := e.api.ContainerInspect(look, id); serr == nil && !st.State.Running {
			return 0, &DeadError{Service: service, Why: "exited", ExitCode: st.State.ExitCode, OOM: st.State.OOMKilled}
		}
		if perr := pause(look, 50*time.Millisecond); perr != nil || ierr != nil {
			if lost.Cause = errors.Join(err, ierr); lost.Cause == nil {
				lost.Cause = errors.New("its output ended, and it did not")
			}
			return 0, lost
		}
	}
}
