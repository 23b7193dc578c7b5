package main

import "github.com/spf13/cobra"

func (a *app) fakesCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "fakes",
		Short: "Serve faked servers, and check what an agent has done to them",
		Long: `Fakes are stateful stand-ins for the servers that an agent works with, over MCP and plain HTTP. A task declares
them under environment/fakes; a sidecar serves them, and leaves evidence of every call and of the state before and after.

The checks (state-unchanged, no-write-attempted) and the readers (diff, calls, decode) are for a task's tests:
they exit with 0 for a pass, 1 for a fail, and 2 where nothing can be said, as when evidence is missing.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.fakesServeCmd(), a.fakesControlCmd(), a.fakesCallCmd(), a.fakesImportCmd(), a.fakesUnchangedCmd(), a.fakesNoWriteCmd(),
		a.fakesDiffCmd(), a.fakesCallsCmd(), a.fakesDecodeCmd())
	return c
}
