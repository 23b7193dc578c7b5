package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar/fakes/server"
)

func (a *app) fakesControlCmd() *cobra.Command {
	var socket string
	c := &cobra.Command{
		Use:   "control VERB",
		Short: "Freeze fakes, take a snapshot, or ask how they stand",
		Long: `Speaks to the control socket of fakes that are being served; inside the sidecar that is /fakes/control.sock.

  status      how things stand
  step NAME   end a step with a snapshot
  freeze      refuse calls from now on, take the final snapshot and complete the evidence`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("socket") {
				if v, ok := a.lookup(server.EnvControl); ok && v != "" {
					socket = v
				}
			}
			name := ""
			if len(args) > 1 {
				name = args[1]
			}
			st, err := server.Ask(c.Context(), socket, args[0], name)
			if err != nil {
				return err
			}
			out, err := json.Marshal(st)
			if err != nil {
				return fmt.Errorf("printing the status: %w", err)
			}
			fmt.Fprintln(a.out, string(out))
			return nil
		},
	}
	c.Flags().StringVar(&socket, "socket", server.DefaultSocket, "path of the socket")
	return c
}
