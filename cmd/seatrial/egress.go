package main

import (
	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar/egress"
)

// egressCmd is what runs inside a trial's gateway.
func (a *app) egressCmd() *cobra.Command {
	c := &cobra.Command{
		Use: "egress", Short: "Be the way out of a trial's networks (runs inside the trial)", Hidden: true, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return egress.Run(c.Context(), a.lookup) },
	}
	c.AddCommand(&cobra.Command{
		Use: "use POLICY", Short: "Make a policy the one that holds", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return egress.Ask(c.Context(), egress.Socket, args[0]) },
	})
	return c
}
