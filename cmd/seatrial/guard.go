package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar"
)

// guardCmd is what a run starts beside itself; see sidecar.GuardMain.
func (a *app) guardCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "guard RUN",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			// Signals that end a run must not end its guard.
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
			return sidecar.GuardMain(c.Context(), a.in, args[0])
		},
	}
}

// guardLine is the command line of a run's guard.
func guardLine(runID string) []string {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return []string{exe, "guard", runID}
}
