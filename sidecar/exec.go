package sidecar

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// execSlack is how long after a command's own limit and grace the helper's report is waited for.
const execSlack = 10 * time.Second

// Run runs a command under the helper and returns when it has ended (not when the last holder of its streams has). The limit in the
// command's spec is enforced inside the container. Errors: a *DeadError when the container or a needed sidecar died, a *LostError when
// the command's fate is unknown, the cause of ctx's end. A command that fails, or never starts, is a result.
func (s *Stack) Run(ctx context.Context, c Command) (*Result, error) {
	ctx, cancel := s.With(ctx)
	defer cancel()
	if c.Spec.LimitMS > 0 {
		limit := time.Duration(c.Spec.LimitMS+c.Spec.GraceMS) * time.Millisecond
		var stop context.CancelFunc
		ctx, stop = withinCause(ctx, limit+execSlack, errSilent)
		defer stop()
	}
	res := &Result{StartedAt: time.Now()}
	execID, report, err := s.attach(ctx, c)
	res.Took = time.Since(res.StartedAt)
	if report != nil {
		res.Report = *report
		return res, nil
	}
	return res, s.whyLost(ctx, c.Service, execID, err)
}

// Exit codes of what SIGKILL ended, and of what a runtime could not begin.
const (
	killed    = 137
	cannotRun = 126
	notFound  = 127
)

// firstLine is what says most of an engine's or a runtime's complaint.
func firstLine(p []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(string(p), "?")), "\n")
	return line[:min(len(line), 300)]
}

var errSilent = errors.New("no report from the helper within its time")

// attach starts the exec and reads its frames to the end. A nil report comes with an error.
func (s *Stack) attach(ctx context.Context, c Command) (string, *shim.Report, error) {
	id := s.ID(c.Service)
	if id == "" {
		return "", nil, fmt.Errorf("%w: %s", errNoStack, c.Service)
	}
	argv, err := c.Spec.Command()
	if err != nil {
		return "", nil, err
	}
	user := c.AsUser
	if user == "" {
		user = "0:0"
	}
	ex, err := s.eng.api.ContainerExecCreate(ctx, id, container.ExecOptions{User: user, AttachStdout: true, AttachStderr: true, Env: envList(c.Env),
		WorkingDir: "/", Cmd: argv})
	if err != nil {
		return "", nil, fmt.Errorf("create exec: %w", err)
	}
	// What begins here is never begun twice, whatever becomes of the answer.
	conn, err := s.eng.startExec(ctx, ex.ID, false)
	if err != nil {
		// There is no stream that something in the container could have ended, so that the command's own state tells nothing.
		return "", nil, fmt.Errorf("start exec: %w", err)
	}
	defer conn.Close()
	// The end of ctx does not end a read; closing the connection does.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	in := &counted{r: conn}
	defer s.eng.overhear(ctx, ex.ID, in, conn)()
	var noise tailBuffer // what the engine or the helper itself complains about
	pr, pw := io.Pipe()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, err := stdcopy.StdCopy(pw, &noise, in)
		pw.CloseWithError(err)
	}()
	report, err := shim.Read(bufio.NewReaderSize(pr, 64<<10), sink{c.Stdout, c.Stderr})
	_ = pr.CloseWithError(io.ErrClosedPipe)
	if err != nil {
		_ = conn.Close()
		<-copied // it writes the noise
		err = &streamError{cause: err, bytes: in.n.Load(), text: firstLine(noise.buf.Bytes())}
	}
	return ex.ID, report, err
}

// streamError is how a command's stream ended without a report.
type streamError struct {
	cause error
	bytes int64  // that came
	text  string // the first line that the engine or the helper itself wrote to the standard error
}

func (e *streamError) Error() string {
	if e.text == "" {
		return e.cause.Error()
	}
	return e.cause.Error() + ": " + e.text
}

func (e *streamError) Unwrap() error { return e.cause }

// whyLost finds out what a missing report means.
func (s *Stack) whyLost(ctx context.Context, service, execID string, err error) error {
	if dead := new(DeadError); errors.As(context.Cause(ctx), &dead) {
		return dead
	}
	silent := errors.Is(context.Cause(ctx), errSilent)
	if ctx.Err() != nil && !silent {
		return fmt.Errorf("run a command in service %s: %w", service, context.Cause(ctx))
	}
	look, cancel := within(context.WithoutCancel(ctx), examineLimit)
	defer cancel()
	// The stream of a container that dies ends a moment before the engine calls it dead.
	for range 5 {
		st, ierr := s.eng.api.ContainerInspect(look, s.ID(service))
		if ierr != nil {
			return &LostError{Service: service, ExitCode: -1, Engine: true, Cause: errors.Join(err, ierr)}
		}
		if !st.State.Running {
			return s.dead(look, service)
		}
		if s.watch.wait(look, s.ID(service), 200*time.Millisecond) != nil {
			break
		}
	}
	if silent {
		err = errSilent
	}
	return s.whoseFault(look, &LostError{Service: service, ExitCode: -1, Cause: err}, execID, silent)
}

// whoseFault tells a helper that something in the container killed or stopped from a connection that broke: only then is the helper still at work, or
// has ended well. The engine may need a moment to know that a command has ended.
func (s *Stack) whoseFault(ctx context.Context, lost *LostError, execID string, silent bool) error {
	lost.Engine = true
	if execID == "" {
		return lost
	}
	for running := false; ; running = true {
		ex, err := s.eng.api.ContainerExecInspect(ctx, execID)
		switch {
		case err != nil && ctx.Err() != nil && running:
			return lost
		case err != nil && ctx.Err() != nil && errors.As(lost.Cause, new(*shim.LostError)):
			// The engine answers about the container, and not about a command whose stream has ended: something in there went wrong, and a restart
			// puts it right.
			lost.Engine = false
			return lost
		case err != nil:
			lost.Cause = errors.Join(lost.Cause, err)
			return lost
		case ex.Running && silent:
			lost.Engine = false // its limit is over: the helper would have ended, were it not stopped
			return lost
		case !ex.Running:
			lost.ExitCode, lost.Engine = ex.ExitCode, streamLost(ex.ExitCode)
			// A runtime that cannot begin a command says why. When nothing has come of that, the stream broke at its beginning.
			refused := slices.Contains([]int{cannotRun, notFound}, ex.ExitCode)
			lost.Engine = lost.Engine || refused && !heard(lost.Cause)
			lost.Unstarted = !lost.Engine && unstarted(lost.Cause, refused) && !slices.Contains([]int{killed, -1}, ex.ExitCode)
			return lost
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return lost
		}
	}
}

// heard says whether anything came on the stream.
func heard(err error) bool {
	var e *streamError
	return errors.As(err, &e) && e.bytes > 0
}

// unstarted says that no frame of the helper's came. A runtime writes its refusal where the helper's frames would be.
func unstarted(err error, refused bool) bool {
	var early *shim.LostError
	var text *shim.ProtocolError
	return errors.As(err, &early) && early.Bytes == 0 || refused && errors.As(err, &text) && text.Offset == 0
}

// sink hands a command's streams on. A writer that fails (a full disk) must not stop the command, so its error is dropped here; the
// writer remembers it.
type sink struct{ out, err io.Writer }

func (k sink) Stdout(p []byte) error { return write(k.out, p) }
func (k sink) Stderr(p []byte) error { return write(k.err, p) }

func (k sink) Cut(c shim.Cut) error {
	w := k.out
	if c.Stream == shim.FrameStderr {
		w = k.err
	}
	return write(w, fmt.Appendf(nil, "\n[seatrial: %d bytes left out]\n", c.Bytes))
}

func write(w io.Writer, p []byte) error {
	if w != nil {
		_, _ = w.Write(p)
	}
	return nil
}
