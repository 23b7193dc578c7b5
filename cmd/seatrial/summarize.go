package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

func (a *app) summarizeCmd() *cobra.Command {
	var asJSON, dry, inHarbor bool
	c := &cobra.Command{
		Use:   "summarize RUN",
		Short: "Rebuild run.json from the records of a run's trials",
		Long: `Reads the trial.json of every trial of a run's folder and writes run.json anew, for a run that was killed before it could. Records that are missing, cut,
foreign or of a newer version are listed, and count as not run.`,
		Args: exactly(1, "the folder of a run"),
		RunE: func(c *cobra.Command, args []string) error {
			if dry && inHarbor {
				return usage("--harbor-results writes files, and --dry-run writes none")
			}
			rec, unread, err := orchestrator.Rebuild(args[0])
			if err != nil {
				return err
			}
			for _, u := range unread {
				fmt.Fprintf(a.err, "not used: %s: %s\n", u.Path, u.Reason)
			}
			if !dry {
				if err := (&orchestrator.Folder{Path: args[0], RunID: rec.RunID}).WriteRun(rec); err != nil {
					return err
				}
			}
			if inHarbor {
				if err := a.harborResults(args[0], rec); err != nil {
					return err
				}
			}
			a.code = orchestrator.ExitCode(c.Context(), rec, nil)
			if asJSON {
				return a.print(rec)
			}
			for _, line := range report.Summary(rec) {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the run's record on standard output")
	c.Flags().BoolVar(&inHarbor, "harbor-results", false, "write result.json and config.json in Harbor's form too, as run --harbor-results does")
	c.Flags().BoolVarP(&dry, "dry-run", "n", false, "leave run.json as it is")
	return c
}

// print writes a record to standard output.
func (a *app) print(rec any) error {
	var err error
	if r, ok := rec.(*orchestrator.RunRecord); ok {
		err = r.EncodeTo(a.out)
	} else {
		var data []byte
		if data, err = orchestrator.Encode(rec); err == nil {
			_, err = a.out.Write(data)
		}
	}
	if err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
