package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/bundle"
)

// streams are the program's standard streams.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is what every verb needs.
type app struct {
	streams
	lookup func(string) (string, bool)
	code   int
	opened *bundle.Opened // the bundle that a command is about; nil = none
}

// run is the program: it parses args, carries out one verb and returns the exit code.
func run(ctx context.Context, args []string, s streams, lookup func(string) (string, bool)) int {
	a := &app{streams: s, lookup: lookup}
	ctx, stop := a.withSignals(ctx)
	defer stop()
	root := &cobra.Command{
		Use:           "seatrial",
		Short:         "Run container eval tasks in the Harbor format",
		Long:          longHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.runCmd(), a.checkCmd(), a.enterCmd(), a.gcCmd(), a.doctorCmd(), a.summarizeCmd(), a.compareCmd(), a.fakesCmd(), a.imagesCmd(), a.versionCmd(), a.guardCmd(), a.egressCmd(), a.scoreCmd()) //nolint:contextcheck // cobra hands the context to each verb
	root.AddCommand(a.initCmd(), a.listCmd(), a.rewardsCmd(), a.reportCmd(), a.viewCmd(), a.reproCmd(), a.regradeCmd(), a.bundleCmd(), a.whyCmd(), a.diffCmd())                                                 //nolint:contextcheck // as above
	if err := root.ExecuteContext(ctx); err != nil {
		if !errors.Is(err, errShown) {
			fmt.Fprintf(s.err, "seatrial: %v\n", err)
		}
		if a.code == 0 {
			a.code = orchestrator.ExitCodeOf(ctx, err)
		}
	}
	return a.code
}

// errShown says that the user has been told already.
var errShown = errors.New("shown")

const longHelp = `seatrial runs container eval tasks in the Harbor format: it builds and starts the
agent's container beside the task's sidecars, lets the agent work, runs
tests/test.sh, collects the rewards, removes everything and writes run.json.

Exit codes: 0 all cases complete, 1 a gate failed, 2 usage or invalid task,
3 incomplete cases, 4 engine unusable, 5 something could not be removed,
130/143 interrupted.`
