package orchestrator_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// fakeBox is one type, a container in memory, with a method for each request of a trial.

// fakeBox is a container whose files are in memory, so that what is planted, replaced and fetched really flows.
type fakeBox struct {
	eng   *fakeEngine
	trial string

	mu       sync.Mutex
	files    map[string]string
	ids      map[string]string
	ran      []sidecar.Command
	restarts int
	kept     bool
	until    time.Time
	visits   []visited
	left     bool
	lost     chan struct{}
}

func (b *fakeBox) write(name, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files[name] = text
}

func (b *fakeBox) read(name string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, ok := b.files[name]
	return text, ok
}

// below lists the files of a folder.
func (b *fakeBox) below(dir string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for name := range b.files {
		if strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// commands lists what ran with a first argument, in order.
func (b *fakeBox) commands(argv0 string) []sidecar.Command {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []sidecar.Command
	for _, c := range b.ran {
		if len(c.Spec.Argv) > 0 && c.Spec.Argv[0] == argv0 {
			out = append(out, c)
		}
	}
	return out
}

func (b *fakeBox) Put(ctx context.Context, service, dir string, r io.Reader) error {
	b.eng.calls.Add(1)
	if ctx.Err() != nil {
		return fmt.Errorf("put files into %s of service %s: %w", dir, service, context.Cause(ctx))
	}
	if b.eng.put != nil {
		if err := b.eng.put(ctx); err != nil {
			return err
		}
	}
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("put: %w", err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			return fmt.Errorf("put: %w", err)
		}
		if h.Typeflag == tar.TypeReg {
			b.write(path.Join(dir, h.Name), string(data))
		}
	}
}

func (b *fakeBox) Exists(_ context.Context, _, file string) (bool, error) {
	b.eng.calls.Add(1)
	_, ok := b.read(file)
	return ok, nil
}

func (b *fakeBox) Signal(context.Context, string, string) error {
	b.eng.calls.Add(1)
	return nil
}

func (b *fakeBox) Fetch(ctx context.Context, service, dir string) (io.ReadCloser, error) {
	b.eng.calls.Add(1)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("fetch %s from service %s: %w", dir, service, context.Cause(ctx))
	}
	if b.eng.fetch != nil {
		if err := b.eng.fetch(ctx, dir); err != nil {
			return nil, fmt.Errorf("fetch %s from service %s: %w", dir, service, err)
		}
	}
	names := b.below(dir)
	if _, ok := b.read(dir); ok {
		names = []string{dir}
	}
	if len(names) == 0 && dir != "/logs" {
		return nil, fmt.Errorf("fetch %s: %w", dir, errdefs.ErrNotFound)
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, name := range names {
		text, _ := b.read(name)
		rel := path.Base(dir) + strings.TrimPrefix(name, dir)
		_ = w.WriteHeader(&tar.Header{Name: rel, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644})
		_, _ = io.WriteString(w, text)
	}
	_ = w.Close()
	return io.NopCloser(&buf), nil
}

func (b *fakeBox) Run(ctx context.Context, c sidecar.Command) (*sidecar.Result, error) {
	b.eng.calls.Add(1)
	b.mu.Lock()
	b.ran = append(b.ran, c)
	b.mu.Unlock()
	res := &sidecar.Result{StartedAt: time.Now()}
	lost := func(err error) (*sidecar.Result, error) {
		res.Took = time.Since(res.StartedAt)
		if ctx.Err() != nil {
			err = fmt.Errorf("run a command in service %s: %w", c.Service, context.Cause(ctx))
		}
		return res, err
	}
	if ctx.Err() != nil {
		return lost(nil)
	}
	kept := b.prepare(c.Spec.Prepare)
	rep, err := b.perform(ctx, &process{fakeBox: b, Command: c})
	if err != nil {
		return lost(err)
	}
	res.Report, res.Took, res.Kept = *rep, time.Since(res.StartedAt), kept
	if rep.Start == nil {
		res.Seconds = res.Took.Seconds()
	}
	if len(c.Spec.Measure) > 0 {
		res.Measured = map[string]shim.Size{}
	}
	for _, dir := range c.Spec.Measure {
		size := shim.Size{}
		for _, name := range b.below(dir) {
			text, _ := b.read(name)
			size.Files, size.Bytes = size.Files+1, size.Bytes+int64(len(text))
		}
		res.Measured[dir] = size
	}
	return res, nil
}

// perform plays the scene's part for a command, under the command's own limit as the helper keeps it.
func (b *fakeBox) perform(ctx context.Context, p *process) (*shim.Report, error) {
	play := b.eng.part(p.Spec.Argv)
	inner, cancel := context.WithCancel(ctx)
	if ms := p.Spec.LimitMS; ms > 0 {
		inner, cancel = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	}
	defer cancel()
	var rep *shim.Report
	var err error
	if play != nil {
		rep, err = play(inner, p)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case inner.Err() != nil && err != nil && errors.Is(err, inner.Err()):
		return &shim.Report{Exit: 143, Signal: "SIGTERM", Limit: "term"}, nil
	case err != nil:
		return nil, err
	case rep == nil:
		rep = &shim.Report{}
	}
	return rep, nil
}

// part tells the commands of a trial apart.
func (e *fakeEngine) part(argv []string) act {
	switch {
	case len(argv) == 0:
		return nil
	case argv[0] == "/tests/test.sh":
		return e.tests
	case len(argv) == 3 && argv[2] == "test -e /ready": // of the task "beside"
		return e.health
	}
	return e.agent
}

// prepare does what the helper does before a command, as far as a trial uses it.
func (b *fakeBox) prepare(list []shim.Prep) (kept []string) {
	for _, p := range list {
		switch p.Op {
		case "empty":
			for _, name := range b.below(p.Path) {
				if p.Keep != "" {
					b.move(name, p.Keep+strings.TrimPrefix(name, p.Path))
					kept = []string{p.Keep}
				}
				b.remove(name)
			}
		case "replace":
			for _, name := range b.below(p.Path) {
				b.remove(name)
			}
			for _, name := range b.below(p.From) {
				b.move(name, p.Path+strings.TrimPrefix(name, p.From))
			}
		}
	}
	return kept
}

func (b *fakeBox) move(from, to string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files[to] = b.files[from]
	delete(b.files, from)
}

func (b *fakeBox) remove(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.files, name)
}

func (b *fakeBox) Restart(ctx context.Context, _ string) error {
	b.eng.calls.Add(1)
	b.mu.Lock()
	b.restarts++
	b.mu.Unlock()
	if b.eng.restart != nil {
		return b.eng.restart(ctx)
	}
	return nil
}

func (b *fakeBox) Keep(ctx context.Context, until time.Time) error {
	if b.eng.keep != nil {
		if err := b.eng.keep(ctx); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept, b.until = true, until
	return nil
}

func (b *fakeBox) Tools(context.Context) error { return nil }

func (b *fakeBox) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = true
}

func (b *fakeBox) Lost() <-chan struct{} { return b.lost }
func (b *fakeBox) Cause() error          { return nil }

func (b *fakeBox) ID(service string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids[service]
}

// snapshot is all files, for comparing.
func (b *fakeBox) snapshot() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.files)
}

func (b *fakeBox) Outside(context.Context, bool, ...string) error { b.eng.calls.Add(1); return nil }
func (b *fakeBox) Resolver() string                               { return "" }

func (b *fakeBox) Pause(context.Context) error   { b.eng.calls.Add(1); return nil }
func (b *fakeBox) Unpause(context.Context) error { b.eng.calls.Add(1); return nil }

// Changes are all files: the image has none.
func (b *fakeBox) Changes(context.Context, string) ([]sidecar.Change, error) {
	b.eng.calls.Add(1)
	var all []sidecar.Change
	for name := range b.snapshot() {
		all = append(all, sidecar.Change{Path: name})
	}
	return all, nil
}

// Restore puts files as Put does.
func (b *fakeBox) Restore(ctx context.Context, service string, r io.Reader) error {
	return b.Put(ctx, service, "/", r)
}

// visited is a command that somebody ran by hand.
type visited struct {
	service string
	sidecar.Visit
}

func (b *fakeBox) Visit(ctx context.Context, service string, v sidecar.Visit) (int, error) {
	b.eng.calls.Add(1)
	b.mu.Lock()
	b.visits = append(b.visits, visited{service: service, Visit: v})
	b.mu.Unlock()
	if b.eng.visit != nil {
		return b.eng.visit(ctx, b)
	}
	return 0, nil
}
