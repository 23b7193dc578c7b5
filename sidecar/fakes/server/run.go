package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/seatrial/seatrial/internal/netlimit"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// Sidecar is a set of fakes that is about to be served.
type Sidecar struct {
	server   *Server
	record   *record
	declared []*spec.Server
	log      *slog.Logger
	agent    net.Listener
	control  net.Listener // nil without a control plane
}

// Start reads the declarations, makes the world, writes down its initial state and listens. Whatever is wrong with the
// declarations comes in one error. A Sidecar that was started must be served, which also ends it.
func Start(ctx context.Context, c Config, log *slog.Logger, observe func(world.Call, world.Answer)) (*Sidecar, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	declared, err := spec.Load(c.Manifests)
	if err != nil {
		return nil, err
	}
	if declared, err = declared.Only(c.Servers...); err != nil {
		return nil, err
	}
	w, err := world.New(declared, c.Scenario, c.Seed, c.Now)
	if err != nil {
		return nil, err
	}
	rec := &record{world: w, scenario: c.Scenario, servers: declared.Names()}
	s := &Sidecar{record: rec, declared: declared.Servers, log: log}
	if s.server, err = New(Options{World: w, Servers: declared.Servers, Log: log, Observe: observe}); err != nil {
		return nil, err
	}
	if s.agent, err = new(net.ListenConfig).Listen(ctx, "tcp", c.Listen); err != nil {
		return nil, fmt.Errorf("the agent's plane: %w", err)
	}
	if c.Control != "" {
		if s.control, err = listenControl(ctx, c.Control); err != nil {
			return nil, errors.Join(err, s.agent.Close())
		}
	}
	if err := rec.begin(c.Out); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.server.SetReady()
	return s, nil
}

// Addr is where the agent's plane listens.
func (s *Sidecar) Addr() net.Addr { return s.agent.Addr() }

// Serve serves until ctx ends. Then the fakes are frozen, unless they are already, and their evidence is completed.
func (s *Sidecar) Serve(ctx context.Context) error {
	var control error
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.control != nil {
		wg.Go(func() {
			defer cancel() // fakes that nobody can freeze are of no use
			control = serve(ctx, s.log, s.control, Control(s.record, s.log), func() error { return nil })
		})
	}
	agent := serve(ctx, s.log, netlimit.Listen(s.agent, maxConns), s.server.Handler(), s.record.Freeze)
	cancel()
	wg.Wait()
	return errors.Join(agent, control)
}

// Freeze lets no later call have an effect and completes the evidence, as the control plane's verb does.
func (s *Sidecar) Freeze() error { return s.record.Freeze() }

func (s *Sidecar) close() error {
	err := s.agent.Close()
	if s.control != nil {
		err = errors.Join(err, s.control.Close())
	}
	return err
}

// Addresses are the agent's addresses of each server, a line each.
func (s *Sidecar) Addresses() []string {
	host := s.agent.Addr().String()
	if a, ok := s.agent.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		host = net.JoinHostPort("localhost", strconv.Itoa(a.Port))
	}
	var lines []string
	for _, d := range s.declared {
		for _, p := range d.Protocols {
			lines = append(lines, fmt.Sprintf("%s: http://%s/%s/%s (%d tools)", d.Name, host, p, d.Name, len(d.Tools)))
		}
	}
	return lines
}

// Declarations finds the folder of declarations in dir, which is that folder or a task.
func Declarations(dir string) string {
	inner := filepath.Join(dir, "environment", "fakes")
	if info, err := os.Stat(inner); err == nil && info.IsDir() {
		return inner
	}
	return dir
}
