package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/internal/nearest"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/difftrial"
)

func (a *app) diffCmd() *cobra.Command {
	var only []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff RUN/TRIAL RUN/TRIAL",
		Short: "Show two recorded trials side by side",
		Long: `Shows two recorded trials side by side, the older one first: outcome, rewards, exit codes, time and resources, what was left running, images, limits,
variables, warnings, logs up to the first line that differs, and the files that were collected. Each trial is the path of its folder, or RUN/TRIAL
with the run's folder or id; a bundle's file may stand for it. See docs/diff.md.

Exit codes: 0 outcome and rewards are the same; 1 they are not, whatever else is; 2 the command line is wrong, or a trial cannot be read.`,
		Args: exactly(2, "two trials: each the path of its folder, RUN/TRIAL, or a bundle"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, part := range only {
				if !slices.Contains(difftrial.Parts(), part) {
					near := ""
					if n := nearest.Of(part, difftrial.Parts()); n != "" {
						near = "; did you mean " + n + "?"
					}
					return usage("--only %s: want some of %s%s", part, strings.Join(difftrial.Parts(), ", "), near)
				}
			}
			var places [2]*orchestrator.TrialPlace
			for i, arg := range args {
				place, done, err := a.place(c, arg)
				if err != nil {
					return err
				}
				defer done()
				places[i] = place
			}
			d, err := difftrial.Compare(c.Context(), places[0], places[1], only)
			if err != nil {
				return err
			}
			if !d.Equal {
				a.code = orchestrator.ExitGate
			}
			if asJSON {
				return a.print(d)
			}
			return difftrial.WriteText(a.out, d)
		},
	}
	c.Flags().StringSliceVar(&only, "only", nil, "show only this `part`: "+strings.Join(difftrial.Parts(), ", ")+" (repeatable)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the comparison as JSON")
	return c
}
