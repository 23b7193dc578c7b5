package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
)

func (a *app) checkCmd() *cobra.Command {
	var f taskFlags
	var plan bool
	c := &cobra.Command{
		Use:   "check PATH...",
		Short: "Check tasks without an engine",
		Long:  `Reads every task of the given paths and reports all that is wrong with it, with file, line and key. No engine is asked.`,
		Args:  atLeast(1, "the path of a task, or of a folder of tasks"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given(c.Flags()); err != nil {
				return err
			}
			o, err := f.options(a.lookup)
			if err != nil {
				return err
			}
			jobs, err := orchestrator.Plans(c.Context(), args, &o)
			bad := 0
			for _, j := range jobs {
				if j.Err != nil {
					bad++
					fmt.Fprintf(a.err, "%v\n", j.Err)
					continue
				}
				for _, w := range j.Plan.Warnings {
					fmt.Fprintf(a.err, "warning: %s\n", w.Message)
				}
				if plan {
					fmt.Fprint(a.out, j.Plan)
				} else {
					fmt.Fprintf(a.out, "%s: ok\n", j.Dir)
				}
			}
			if err != nil {
				return err
			}
			if bad > 0 {
				a.code = orchestrator.ExitUsage
				return errShown
			}
			return nil
		},
	}
	f.add(c.Flags())
	c.Flags().BoolVar(&plan, "plan", false, "print what a run would do")
	return c
}
