package main

import (
	"errors"
	"fmt"
	"io"
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
	var bf batchFlags
	var runsDir, runID, resume string
	var rerunChanged, noSnapshot, capture bool
	var which selectionFlags
	var keep keepFlags
	var look lookFlags
	var asJSON bool
	var minScore, passBar float64
	var after runReports
	var events eventFlags
	minFree := size(sidecar.DefaultMinFree)
	c := &cobra.Command{
		Use:   "run PATH...",
		Short: "Run tasks and write run.json",
		Long: `Runs every task of the given paths (a task's folder, a folder of tasks, a suite, a pattern such as 'tasks/hello-*', or a file that lists tasks; see
docs/selection.md), or those of them that the flags choose, one after another or -n at a time: builds the image,
starts the stack, lets the agent work, runs tests/test.sh, collects the rewards, removes everything, and writes
RUNS-DIR/RUN-ID/run.json, which is valid at every moment.`,
		RunE: func(c *cobra.Command, args []string) error {
			args, err := a.asked(c, &resume, runID, rerunChanged, args)
			if err != nil {
				return err
			}
			if err := f.given(c.Flags()); err != nil {
				return err
			}
			o, err := f.options(a.lookup)
			if err != nil {
				return err
			}
			if args, err = which.apply(a, c, args, &o); err != nil {
				return err
			}
			if err := bars(c.Flags(), &o, minScore, passBar); err != nil {
				return err
			}
			if err := keep.apply(c.Flags(), &o); err != nil {
				return err
			}
			if err := errors.Join(after.check(), events.check(asJSON)); err != nil {
				return err
			}
			host, err := a.host()
			if err != nil {
				return err
			}
			batch, err := bf.batch(c.Flags(), a.lookup, time.Now())
			if err != nil {
				return err
			}
			console, tell, end, err := a.watched(c.Context(), &events, resume != "")
			if err != nil {
				return err
			}
			defer end()
			inside, err := look.look(a, console)
			if err != nil {
				return err
			}
			q := &orchestrator.Request{Paths: args, Options: o, Batch: batch, Resume: resume, RerunChanged: rerunChanged, NoSnapshot: noSnapshot, Capture: capture, Look: inside, RunsDir: runsDir, RunID: runID, MinFree: int64(minFree), Args: orchestrator.HideValues(os.Args[1:]), Tool: tool(), Host: host,
				Guard: guardLine, Tell: tell}
			rec, folder, err := orchestrator.Run(c.Context(), q)
			end()
			if err != nil {
				return err
			}
			a.code = orchestrator.ExitCode(c.Context(), rec, o.MinScore)
			a.reportRun(&after, rec, folder.Path)
			return a.printRun(rec, asJSON, events.summaryTo(a))
		},
	}
	f.add(c.Flags())
	bf.add(c.Flags())
	after.add(c)
	events.add(c)
	which.add(c.Flags())
	keep.add(c.Flags())
	look.add(c.Flags())
	c.Flags().StringVar(&runsDir, "runs-dir", orchestrator.DefaultRunsDir, "folder for the records of runs")
	c.Flags().StringVar(&resume, "resume", "", "go on with the run in this `folder`: only what is missing or incomplete in it is run; without paths, as it was begun")
	c.Flags().BoolVar(&rerunChanged, "rerun-changed", false, "with --resume, run complete trials anew whose task has changed since, instead of refusing")
	c.Flags().BoolVar(&noSnapshot, "no-snapshot", false, "keep no copies of the tasks and the agent in the run's folder; a trial is then reproduced from where they were")
	c.Flags().BoolVar(&capture, "capture", false, "keep the end state of the agent's container in each trial's folder, so that it can be graded again (see seatrial regrade)")
	c.Flags().StringVar(&runID, "run-id", "", "the run's id and folder name (default: the time and a random part)")
	c.Flags().Var(&minFree, "min-free", "disk space that must be free, for the engine's data and for the records, before the run starts (0: do not look)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the run's record on standard output")
	c.Flags().Float64Var(&minScore, "min-score", 0, "exit with 1 if the mean score is lower")
	c.Flags().Float64Var(&passBar, "pass-bar", orchestrator.DefaultPassBar, "the score from which on a trial has passed, for pass@k and pass^k")
	return c
}

// printRun prints a run's record on standard output, or its summary.
func (a *app) printRun(rec *orchestrator.RunRecord, asJSON bool, summary io.Writer) error {
	if asJSON {
		return a.print(rec)
	}
	for _, line := range report.Summary(rec) {
		fmt.Fprintln(summary, line)
	}
	return nil
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
