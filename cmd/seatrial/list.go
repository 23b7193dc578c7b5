package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/check"
	"github.com/seatrial/seatrial/orchestrator"
)

func (a *app) listCmd() *cobra.Command {
	var asJSON bool
	var which selectionFlags
	c := &cobra.Command{
		Use:   "list PATH...",
		Short: "List tasks, cases, and which tasks implement which cases",
		Long: `Reads the tasks of the given paths (a suite, the root of a recipe with one, a folder of tasks, or a task) and prints, for each path, a table of its tasks with
the cases that they name, and the cases that no task implements. A task that cannot be read is listed with the reason. See docs/suites.md, and docs/selection.md
for patterns, files that list tasks, and choosing some of them.`,
		RunE: func(c *cobra.Command, args []string) error {
			o := orchestrator.Options{Lax: true}
			paths, err := which.apply(a, c, args, &o)
			if err != nil {
				return err
			}
			all, errs := check.List(c.Context(), paths, &o)
			if asJSON {
				return errors.Join(append(errs, a.print(all))...)
			}
			for _, covered := range all {
				errs = append(errs, check.WriteCoverage(a.out, covered))
			}
			return errors.Join(errs...)
		},
	}
	which.add(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON list with an object for each path")
	return c
}
