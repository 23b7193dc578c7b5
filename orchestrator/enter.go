package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/internal/nearest"
	"github.com/seatrial/seatrial/internal/terminal"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// EnterRequest asks for a command in the kept stack of a trial.
type EnterRequest struct {
	Place *TrialPlace
	// Service is where, by the name that the trial's record has for its container; empty = the agent's.
	Service string
	// User runs the command; empty = the container's own.
	User string
	// Command is the program and its arguments; empty = a shell.
	Command []string
	// LeaveRunning does not freeze the stack again.
	LeaveRunning bool
	// Terminal is the person's; nil = the command has In, Out and Err.
	Terminal Terminal
	Kind     string // of the terminal (TERM)
	In       io.Reader
	Out, Err io.Writer
	// Tell hears what is worth knowing.
	Tell func(string)
}

// KeptEngine is what Enter asks of an engine.
type KeptEngine interface {
	// Reopen finds a kept stack by its run and trial. The error is a *sidecar.NotKeptError if there is none.
	Reopen(ctx context.Context, run, trial string) (KeptStack, error)
}

// KeptStack is a stack that was kept on purpose.
type KeptStack interface {
	Services() []string
	// Unpause lets all of it go on, and Pause freezes it; what is so already stays so.
	Unpause(ctx context.Context) error
	Pause(ctx context.Context) error
	// Busy says whether somebody's command runs in it.
	Busy(ctx context.Context) bool
	Visit(ctx context.Context, service string, v sidecar.Visit) (int, error)
}

// Reopen finds a kept stack.
func (e RealEngine) Reopen(ctx context.Context, run, trial string) (KeptStack, error) {
	s, err := e.Conn.Reopen(ctx, run, trial)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// GoneError says that a trial's stack is not kept, and what can be done.
type GoneError struct {
	Place *TrialPlace
	Cause error
}

func (e *GoneError) Error() string {
	rec := e.Place.Record
	why := "it was run without --keep"
	switch {
	case rec.Kept && rec.KeptUntil != nil:
		why = "it was kept until " + rec.KeptUntil.Format(time.DateTime) + " UTC, and has been removed or is on another engine"
	case rec.Kept:
		why = "it was kept, and has been removed or is on another engine"
	}
	return fmt.Sprintf("%v; %s. `seatrial repro %s --keep always` runs it again and keeps it", e.Cause, why, e.Place.Folder())
}

func (e *GoneError) Unwrap() error { return e.Cause }

// refreeze bounds what follows the command.
const refreeze = time.Minute

// Enter runs a command in a kept stack, which goes on for as long, and returns its exit code. Errors: a *GoneError, a *UsageError for a service that is not
// there, and those of sidecar.Stack.Visit.
func Enter(ctx context.Context, e KeptEngine, q *EnterRequest) (code int, err error) {
	name, service := q.where()
	s, err := e.Reopen(ctx, q.Place.Record.RunID, name)
	if errors.As(err, new(*sidecar.NotKeptError)) {
		if names := sorted(q.Place.Record.Containers); name != q.Place.Record.TrialID && !slices.Contains(names, q.Service) {
			return 0, q.noService(names) // it never was one
		}
		return 0, &GoneError{Place: q.Place, Cause: err}
	}
	if err != nil {
		return 0, err
	}
	if names := s.Services(); !slices.Contains(names, service) {
		for i := range names {
			names[i] = strings.TrimSuffix(q.Service, service) + names[i]
		}
		return 0, q.noService(names)
	}
	if err := s.Unpause(ctx); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, q.leave(ctx, s)) }()
	return q.visit(ctx, s, service)
}

// where is the engine's name for the stack, and the service's in it.
func (q *EnterRequest) where() (trial, service string) {
	trial, service = q.Place.Record.TrialID, cmp.Or(q.Service, stack.Main)
	if prefix, rest, ok := strings.Cut(service, "/"); ok {
		return trial + "-" + prefix, rest
	}
	return trial, service
}

// noService is the error for a service that is not among some.
func (q *EnterRequest) noService(names []string) error {
	names = slices.Clone(names)
	for i := range names {
		names[i] = task.Printable(names[i])
	}
	text := fmt.Sprintf("--service %s: the trial has no such service", q.Service)
	if near := nearest.Of(q.Service, names); near != "" {
		text += "; did you mean " + near + "?"
	} else if len(names) > 0 {
		text += "; there is " + someOf(names)
	}
	return &UsageError{Cause: errors.New(text)}
}

// visit runs the command with what streams there are.
func (q *EnterRequest) visit(ctx context.Context, s KeptStack, service string) (code int, err error) {
	v := sidecar.Visit{Argv: q.Command, User: q.User, Env: map[string]string{}}
	if len(v.Argv) == 0 {
		v.Argv = sidecar.ShellArgv()
	}
	if q.Terminal == nil {
		v.In, v.Out, v.Err = terminal.Input(q.In), q.Out, q.Err
		return s.Visit(ctx, service, v)
	}
	if q.Kind != "" {
		v.Env["TERM"] = q.Kind
	}
	err = q.Terminal.Lend(func(screen *terminal.Screen) (err error) {
		v.Screen = screen
		code, err = s.Visit(ctx, service, v)
		return err
	})
	return code, err
}

// leave freezes the stack again, whatever ended the command, unless somebody else is inside.
func (q *EnterRequest) leave(ctx context.Context, s KeptStack) error {
	interrupted := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreeze)
	defer cancel()
	switch {
	case q.LeaveRunning:
		q.Tell("the stack is left running; enter it again to have it frozen")
		return nil
	case !interrupted && s.Busy(ctx):
		q.Tell("another command still runs in the stack, which is left running; enter it again to have it frozen")
		return nil
	}
	return s.Pause(ctx)
}
