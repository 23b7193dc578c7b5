package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// scene is what a fake engine plays in every trial; a nil part goes well and takes no time.
type scene struct {
	image   func(ctx context.Context, src orchestrator.Source, log io.Writer) error
	up      func(ctx context.Context, b *fakeBox) error
	health  act
	agent   act
	tests   act
	put     func(ctx context.Context) error
	fetch   func(ctx context.Context, path string) error
	restart func(ctx context.Context) error
	keep    func(ctx context.Context) error
	visit   func(ctx context.Context, b *fakeBox) (int, error)
	down    func(ctx context.Context) error
}

// fakeEngine keeps trials in memory. It says what is still on it, and checks that it is used as its contract wants it.
type fakeEngine struct {
	scene
	// config is what the images say of themselves.
	config images.Config

	mu    sync.Mutex
	boxes map[string]*fakeBox // by trial, as long as they are there
	all   []*fakeBox
	downs []string
	calls atomic.Int64
	// retries is what the engine counts as sent again.
	retries atomic.Int64
}

func newEngine(s scene) *fakeEngine { return &fakeEngine{scene: s, boxes: map[string]*fakeBox{}} }

// imageID is the id that the fake engine gives an image.
func imageID(name string) string {
	return "sha256:" + strings.Repeat(fmt.Sprintf("%02x", len(name)%256), 32)
}

func (e *fakeEngine) Image(ctx context.Context, src orchestrator.Source, log io.Writer, progress func(images.Event)) (images.Image, error) {
	e.calls.Add(1)
	if ctx.Err() != nil {
		return images.Image{}, context.Cause(ctx)
	}
	progress(images.Event{Kind: images.StepStarted, Step: "[1/2] FROM busybox"})
	if e.image != nil {
		if err := e.image(ctx, src, log); err != nil {
			return images.Image{}, err
		}
	}
	ref := src.Ref
	if src.Build != nil {
		ref = "seatrial/" + src.Build.Name + ":0123456789ab"
	}
	return images.Image{Ref: ref, ID: imageID(ref), Config: e.config}, nil
}

func (e *fakeEngine) Up(ctx context.Context, spec *stack.Spec, imgs map[string]sidecar.Image, scope sidecar.Scope) (orchestrator.Sandbox, error) {
	e.calls.Add(1)
	if len(imgs) != len(spec.Services) {
		return nil, fmt.Errorf("%d images for %d services", len(imgs), len(spec.Services))
	}
	b := &fakeBox{eng: e, trial: scope.Trial, files: map[string]string{}, ids: map[string]string{}, lost: make(chan struct{})}
	e.mu.Lock()
	e.boxes[scope.Trial] = b
	e.all = append(e.all, b)
	e.mu.Unlock()
	if ctx.Err() != nil {
		return b, context.Cause(ctx)
	}
	for i := range spec.Services {
		b.ids[spec.Services[i].Name] = strings.Repeat("c", 60) + fmt.Sprintf("%04d", i)
	}
	if e.up != nil {
		return b, e.up(ctx, b)
	}
	return b, nil
}

func (e *fakeEngine) Down(ctx context.Context, trial string) error {
	e.calls.Add(1)
	e.mu.Lock()
	e.downs = append(e.downs, trial)
	e.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the clean-up was called with a context that has ended: %w", context.Cause(ctx))
	}
	if e.down != nil {
		if err := e.down(ctx); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.boxes, trial)
	return nil
}

// Counted counts all that happens from now on, since a test plays one trial at a time.
func (e *fakeEngine) Counted(ctx context.Context) (context.Context, orchestrator.Tally) {
	return ctx, &since{e: e, calls: e.calls.Load(), retries: e.retries.Load()}
}

type since struct {
	e              *fakeEngine
	calls, retries int64
}

func (s *since) Calls() int64   { return s.e.calls.Load() - s.calls }
func (s *since) Retries() int64 { return s.e.retries.Load() - s.retries }

// left are the trials that are still there.
func (e *fakeEngine) left() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.boxes)
}

// wait passes time in the fake world, and ends with ctx's cause.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// forever hangs until ctx ends.
func forever(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// act is a command in the fake container. It gives a report, or the error with which the engine lost it.
type act func(ctx context.Context, c *process) (*shim.Report, error)

// process is a command that runs in a fake container.
type process struct {
	*fakeBox
	sidecar.Command
}

func (p *process) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.Stdout, format, args...) }
func (p *process) complain(text string)              { _, _ = io.WriteString(p.Stderr, text) }

// acts runs several after another; the first report or error ends them.
func acts(list ...act) act {
	return func(ctx context.Context, p *process) (*shim.Report, error) {
		for _, a := range list {
			if r, err := a(ctx, p); r != nil || err != nil {
				return r, err
			}
		}
		return nil, nil
	}
}

func takes(d time.Duration) act {
	return func(ctx context.Context, _ *process) (*shim.Report, error) { return nil, wait(ctx, d) }
}

func hangs() act {
	return func(ctx context.Context, _ *process) (*shim.Report, error) { return nil, forever(ctx) }
}

func exits(code int) act {
	return func(context.Context, *process) (*shim.Report, error) { return &shim.Report{Exit: code}, nil }
}

func signalled(name string, exit int) act {
	return func(context.Context, *process) (*shim.Report, error) {
		return &shim.Report{Exit: exit, Signal: name, OOMKills: 1}, nil
	}
}

func writes(path, text string) act {
	return func(_ context.Context, p *process) (*shim.Report, error) { p.write(path, text); return nil, nil }
}

func prints(text string) act {
	return func(_ context.Context, p *process) (*shim.Report, error) { p.printf("%s", text); return nil, nil }
}

func complains(text string) act {
	return func(_ context.Context, p *process) (*shim.Report, error) { p.complain(text); return nil, nil }
}

func neverStarts(kind, detail string) act {
	return func(context.Context, *process) (*shim.Report, error) {
		return &shim.Report{Start: &shim.StartError{Kind: kind, Detail: detail}, Exit: 127}, nil
	}
}

func fails(err error) act {
	return func(context.Context, *process) (*shim.Report, error) { return nil, err }
}

// calls runs a function, such as an interrupt, in the middle of a command.
func calls(f func()) act {
	return func(context.Context, *process) (*shim.Report, error) { f(); return nil, nil }
}

func leaves(survivors, leftovers int) act {
	return func(context.Context, *process) (*shim.Report, error) {
		return &shim.Report{Survivors: survivors, LeftoverCount: leftovers, Leftovers: []shim.Process{{PID: 7, Name: "sleeper"}}}, nil
	}
}

func reward(json string) act { return writes("/logs/verifier/reward.json", json) }

var errGone = errors.New("connection refused")

func helperLost() error {
	return &sidecar.LostError{Service: "main", ExitCode: 137, Cause: errors.New("the stream ended without a report")}
}

func engineGone() error {
	return &sidecar.LostError{Service: "main", ExitCode: -1, Engine: true, Cause: errGone}
}

func dead(service string) error {
	return &sidecar.DeadError{Service: service, Why: "exited", ExitCode: 3, Log: []string{"out of memory in " + service}}
}
