package orchestrator

import (
	"context"
	"io"
	"time"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// Engine is what a trial asks of a container engine. All of it may be called at the same time for different trials.
type Engine interface {
	// Image makes an image present. It may be called again for the same source, and then costs little.
	Image(ctx context.Context, src Source, log io.Writer, progress func(images.Event)) (images.Image, error)
	// Up brings a stack up. The sandbox is never nil once anything may have been made, whatever the error.
	Up(ctx context.Context, spec *stack.Spec, imgs map[string]sidecar.Image, scope sidecar.Scope) (Sandbox, error)
	// Down removes everything that bears the trial's label and returns when a listing shows nothing, or a *sidecar.LeakError. It may be
	// called for a trial that never made anything.
	Down(ctx context.Context, trial string) error
	// Counted is a context whose requests are counted, and what they come to so far.
	Counted(ctx context.Context) (context.Context, Tally)
}

// Tally counts requests to an engine, and those of them that were made again.
type Tally interface {
	Calls() int64
	Retries() int64
}

// Sandbox is a stack that is up. Its calls end with ctx, and with the stack.
type Sandbox interface {
	// Run runs a command under the helper; see sidecar.Stack.Run for its errors.
	Run(ctx context.Context, c sidecar.Command) (*sidecar.Result, error)
	Put(ctx context.Context, service, dir string, tar io.Reader) error
	Fetch(ctx context.Context, service, path string) (io.ReadCloser, error)
	// Changes lists what is not as its image has it in a service's container, and Restore puts such a state in its place.
	Changes(ctx context.Context, service string) ([]sidecar.Change, error)
	Restore(ctx context.Context, service string, tar io.Reader) error
	// Exists says whether a service's container has a path; it runs nothing there.
	Exists(ctx context.Context, service, path string) (bool, error)
	// Signal sends a signal to the first process of a service's container.
	Signal(ctx context.Context, service, signal string) error
	// Restart kills all that runs in a service's container and starts it again with its files as they are.
	Restart(ctx context.Context, service string) error
	// Outside lets services join the network with a way out, or takes them out of it.
	Outside(ctx context.Context, join bool, services ...string) error
	// Resolver is where names are asked for on engines whose own resolver does not; empty = the engine's does.
	Resolver() string
	// Pause freezes all containers of the stack, and Unpause lets them go on.
	Pause(ctx context.Context) error
	Unpause(ctx context.Context) error
	// Keep marks the stack as kept on purpose until then (zero = for good), and freezes it.
	Keep(ctx context.Context, until time.Time) error
	// Visit runs a command for somebody beside what is there, with their own streams; see sidecar.Stack.Visit for its errors.
	Visit(ctx context.Context, service string, v sidecar.Visit) (int, error)
	// Tools sees that the agent's container has this program in sidecar.ToolsDir, for stacks that ask for it.
	Tools(ctx context.Context) error
	// Leave says that what happens to the containers from now on is expected.
	Leave()
	// Lost is closed when a needed service died; Cause says which.
	Lost() <-chan struct{}
	Cause() error
	ID(service string) string
}

// RealEngine is an Engine on a real one.
type RealEngine struct {
	Conn  *sidecar.Engine
	Store *images.Store
	Watch *sidecar.Watch
}

// Image builds or takes an image.
func (e RealEngine) Image(ctx context.Context, src Source, log io.Writer, progress func(images.Event)) (images.Image, error) {
	if src.Program {
		return e.program(ctx)
	}
	if src.Build != nil {
		r := *src.Build
		r.Log, r.Progress = log, progress
		return e.Store.Build(ctx, r)
	}
	return e.Store.Take(ctx, images.Wanted{Ref: src.Ref, Platform: src.Platform, Policy: images.PullPolicy(src.Policy), Log: log, Progress: progress})
}

// program makes the image of this program, which serves the fakes.
func (e RealEngine) program(ctx context.Context) (images.Image, error) {
	info, err := e.Conn.Ping(ctx)
	if err != nil {
		return images.Image{}, err
	}
	file, digest, err := sidecar.OwnProgram(info.Arch)
	if err != nil {
		return images.Image{}, err
	}
	return images.FromProgram(ctx, e.Conn.Client(), images.Program{File: file, Digest: digest, Path: fakesProgram, Name: "fakes", Folders: []string{"/fakes", fakesManifests, fakesOut},
		Command: []string{fakesProgram, "fakes", "serve"}})
}

// Up brings a stack up.
func (e RealEngine) Up(ctx context.Context, spec *stack.Spec, imgs map[string]sidecar.Image, scope sidecar.Scope) (Sandbox, error) {
	s, err := e.Conn.Up(ctx, spec, imgs, scope, e.Watch)
	if s == nil {
		return nil, err
	}
	return s, err
}

// Down removes a trial.
func (e RealEngine) Down(ctx context.Context, trial string) error {
	return e.Conn.Remove(ctx, sidecar.Selector{Trial: trial})
}

// Counted counts the requests of one trial.
func (e RealEngine) Counted(ctx context.Context) (context.Context, Tally) {
	t := new(sidecar.Tally)
	return sidecar.Counted(ctx, t), t
}
