package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

func (a *app) fakesServeCmd() *cobra.Command {
	cfg := server.Config{}
	var now string
	c := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Serve the fakes of a task",
		Long: `Serves the fakes that are declared in DIR, a task or a folder that holds <server>/fake.toml, until it is interrupted;
a line on standard error tells of each call.

Without DIR it is the sidecar's own process: it reads FAKES_SCENARIO, FAKES_SEED, FAKES_NOW, FAKES_SERVERS,
FAKES_MANIFESTS, FAKES_OUT, FAKES_LISTEN and FAKES_CONTROL, and is frozen through its control socket or by SIGUSR1.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				fromEnv, err := server.FromEnv(a.lookup)
				if err != nil {
					return err
				}
				return a.serveFakes(c, fromEnv, nil)
			}
			cfg.Manifests = server.Declarations(args[0])
			var err error
			if cfg.Now, err = server.ParseNow(now); err != nil {
				return usage("--now: %w", err)
			}
			return a.serveFakes(c, cfg, server.Live(a.err))
		},
	}
	f := c.Flags()
	f.StringVar(&cfg.Scenario, "scenario", "", "the scenario to play")
	f.Int64Var(&cfg.Seed, "seed", 0, "seed of generated ids")
	f.StringVar(&now, "now", server.DefaultNow, "where the virtual clock starts (RFC 3339)")
	f.StringSliceVar(&cfg.Servers, "server", nil, "serve only this server (repeatable)")
	f.StringVar(&cfg.Listen, "listen", "127.0.0.1:8000", "address to listen on")
	f.StringVar(&cfg.Out, "out", "", "folder for the evidence (default: none is kept)")
	f.StringVar(&cfg.Control, "control", "", "socket for `seatrial fakes control` (default: none)")
	return c
}

func (a *app) serveFakes(c *cobra.Command, cfg server.Config, observe func(world.Call, world.Answer)) error {
	log := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelInfo}))
	freeze, stop := freezeSignals() // before anybody can see that the fakes are there
	defer stop()
	s, err := server.Start(c.Context(), cfg, log, observe)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-freeze:
				if err := s.Freeze(); err != nil {
					log.Error("freeze", "error", err)
				}
			case <-done:
				return
			}
		}
	}()
	for _, line := range s.Addresses() {
		fmt.Fprintln(a.err, line)
	}
	return s.Serve(c.Context())
}
