package main

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/sidecar"
)

func (a *app) runCmd() *cobra.Command {
	var f taskFlags
	var runsDir, runID string
	var asJSON bool
	var minScore float64
	minFree := size(sidecar.DefaultMinFree)
	c := &cobra.Command{
		Use:   "run PATH...",
		Short: "Run tasks and write run.json",
		Long: `Runs every task of the given paths (a task's folder, or a folder of tasks), one after another: builds the image,
starts the stack, lets the agent work, runs tests/test.sh, collects the rewards, removes everything, and writes
RUNS-DIR/RUN-ID/run.json, which is valid after every trial.`,
		Args: atLeast(1, "the path of a task, or of a folder of tasks"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given(c.Flags()); err != nil {
				return err
			}
			o, err := f.options(a.lookup)
			if err != nil {
				return err
			}
			if c.Flags().Changed("min-score") {
				if math.IsNaN(minScore) || math.IsInf(minScore, 0) {
					return usage("--min-score %g: want a finite number", minScore)
				}
				o.MinScore = &minScore
			}
			host, err := a.host()
			if err != nil {
				return err
			}
			console, stop := a.console()
			defer stop()
			q := &orchestrator.Request{Paths: args, Options: o, RunsDir: runsDir, RunID: runID, MinFree: int64(minFree), Args: orchestrator.HideValues(os.Args[1:]), Tool: tool(), Host: host,
				Guard: guardLine, Tell: console.Tell}
			rec, _, err := orchestrator.Run(c.Context(), q)
			if err != nil {
				return err
			}
			a.code = orchestrator.ExitCode(c.Context(), rec, o.MinScore)
			if asJSON {
				return a.print(rec)
			}
			fmt.Fprintln(a.out, report.Totals(&rec.Summary))
			return nil
		},
	}
	f.add(c.Flags())
	c.Flags().StringVar(&f.keep, "keep", "", "keep stacks for a look inside: failed or always")
	c.Flags().StringVar(&runsDir, "runs-dir", "eval-runs", "folder for the records of runs")
	c.Flags().StringVar(&runID, "run-id", "", "the run's id and folder name (default: the time and a random part)")
	c.Flags().Var(&minFree, "min-free", "disk space that must be free, for the engine's data and for the records, before the run starts (0: do not look)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the run's record on standard output")
	c.Flags().Float64Var(&minScore, "min-score", 0, "exit with 1 if the mean score is lower")
	return c
}

// console is what people watch while something runs; stop leaves the terminal clean.
func (a *app) console() (*report.Console, func()) {
	live, width := false, 0
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		name, _ := a.lookup("TERM")
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 && name != "" && name != "dumb" {
			live, width = true, w
		}
	}
	con := report.NewConsole(a.err, live, width)
	tick := time.NewTicker(time.Second)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case now := <-tick.C:
				con.Tick(now)
			case <-done:
				return
			}
		}
	}()
	return con, func() { tick.Stop(); close(done); <-ended; con.Close() }
}
