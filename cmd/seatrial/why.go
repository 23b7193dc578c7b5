package main

import (
	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator/why"
)

func (a *app) whyCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "why RUN/TRIAL",
		Short: "Say what a recorded trial came out as it did for, with proof",
		Long: `Reads the record of one trial, its logs and those of the run, and says whether its outcome is the agent's doing, the task's or the machine's: the
verdict in the first line, then each finding with the places that prove it. Without evidence it says so. Nothing is run. The trial is the path of its
folder, or RUN/TRIAL with the run's folder or id; a bundle's file may stand for it. See docs/why.md.`,
		Args: exactly(1, "a trial: the path of its folder, RUN/TRIAL, or a bundle"),
		RunE: func(c *cobra.Command, args []string) error {
			place, done, err := a.place(c, args[0])
			if err != nil {
				return err
			}
			defer done()
			d := why.Of(place.Name, why.Read(place))
			if asJSON {
				return a.print(d)
			}
			return d.WriteText(a.out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the diagnosis as JSON")
	return c
}
