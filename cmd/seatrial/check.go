package main

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/check"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// checkFlags are those that check alone has.
type checkFlags struct {
	plan           bool
	format, failOn string
	failOnGiven    bool
	live           bool
	repeat         int
	parallel       int
	runsDir        string
}

func (a *app) checkCmd() *cobra.Command {
	var f taskFlags
	var which selectionFlags
	var own checkFlags
	c := &cobra.Command{
		Use:   "check PATH...",
		Short: "Check tasks, and with --live the tests themselves",
		Long: `Reads every task of the given paths and reports all that is wrong with it: each finding has a code, a severity, file and line, and what to do.
docs/checks.md lists the codes. One bad folder hides nothing of the others. No engine is asked, except with --live: then the tests are tried out, with nothing
done, with the task's own solution, and with each probe below tests/probes. These trials are no results; their logs are in CHECKS-DIR.

The exit code is 1 when something was found that is as bad as --fail-on says, or worse. Without --fail-on it is 2 when a task cannot be run at all.`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given(c.Flags()); err != nil {
				return err
			}
			own.failOnGiven = c.Flags().Changed("fail-on")
			if err := own.wrong(); err != nil {
				return err
			}
			o, err := f.options(a.lookup)
			if err != nil {
				return err
			}
			if args, err = which.apply(a, c, args, &o); err != nil {
				return err
			}
			return a.check(c.Context(), args, check.Options{Plan: o, AgentGiven: f.agent != "" || f.agentCmd != ""}, &own)
		},
	}
	f.add(c.Flags())
	which.add(c.Flags())
	c.Flags().BoolVar(&own.live, "live", false, "try out the tests: an untouched start must fail, the solution must pass, and probes must come out as they say")
	c.Flags().IntVar(&own.repeat, "repeat", 1, "try each `N` times, and find what is not the same every time (with --live)")
	c.Flags().IntVarP(&own.parallel, "parallel", "n", 1, "trials at a time (with --live)")
	c.Flags().StringVar(&own.runsDir, "checks-dir", "eval-checks", "folder for the logs of what was tried (with --live)")
	c.Flags().BoolVar(&own.plan, "plan", false, "print what a run would do")
	c.Flags().StringVar(&own.format, "format", "text", "how findings are written: text, json, or sarif, which code hosts show beside the code")
	c.Flags().StringVar(&own.failOn, "fail-on", "error", "the least `severity` that makes the exit code 1: error, warning or note; never for none")
	return c
}

// wrong refuses values that the flags do not have.
func (f *checkFlags) wrong() error {
	switch {
	case !slices.Contains([]string{"text", "json", "sarif"}, f.format):
		return usage("--format %s: want text, json or sarif", f.format)
	case !slices.Contains([]string{"error", "warning", "note", "never"}, f.failOn):
		return usage("--fail-on %s: want error, warning, note or never", f.failOn)
	case f.repeat < 1 || f.repeat > 1000:
		return usage("--repeat %d: want 1 to 1000", f.repeat)
	case f.parallel < 1 || f.parallel > 1000:
		return usage("--parallel %d: want 1 to 1000", f.parallel)
	case !f.live && f.repeat != 1:
		return usage("--repeat goes with --live")
	case f.plan && f.format != "text":
		return usage("--plan goes with --format text alone")
	}
	return nil
}

func (a *app) check(ctx context.Context, paths []string, o check.Options, f *checkFlags) error {
	tasks, err := check.Static(ctx, paths, o)
	if err != nil {
		return err
	}
	suite, err := check.Suites(paths)
	if err != nil {
		return err
	}
	suite = check.Join(tasks, suite)
	if o.Plan.Selection.Filters() {
		suite = check.OfNoTask(suite)
	}
	if f.live {
		if err := a.tryOut(ctx, paths, o, f, tasks); err != nil {
			return err
		}
	}
	switch f.format {
	case "json":
		err = check.WriteJSON(a.out, tasks, suite)
	case "sarif":
		dir, _ := os.Getwd() // without one, absolute paths stay so
		err = check.WriteSARIF(a.out, check.Findings(tasks, suite), dir, version)
	default:
		check.WriteText(a.out, a.err, tasks, suite, f.plan)
	}
	if err != nil {
		return err
	}
	if a.code != 0 {
		return errShown // interrupted, or something is left
	}
	switch invalid := func(t check.Task) bool { return t.Invalid }; {
	case !f.failOnGiven && slices.ContainsFunc(tasks, invalid):
		a.code = orchestrator.ExitUsage
	case f.failOn != "never" && check.Worst(check.Findings(tasks, suite), check.Severity(f.failOn)):
		a.code = orchestrator.ExitGate
	default:
		return nil
	}
	return errShown
}

// tryOut runs the trials that try out tests.
func (a *app) tryOut(ctx context.Context, paths []string, o check.Options, f *checkFlags, tasks []check.Task) error {
	if o.AgentGiven {
		return usage("--live chooses who stands in for the agent; leave --agent and --agent-cmd out")
	}
	host, err := a.host()
	if err != nil {
		return err
	}
	console, stop := a.console()
	defer stop()
	slots, err := hostSlots(a.lookup)
	if err != nil {
		return err
	}
	q := &orchestrator.Request{Paths: paths, Options: o.Plan, Batch: orchestrator.Batch{Parallel: f.parallel, Overcommit: 1, HostSlots: slots}, RunsDir: f.runsDir, MinFree: sidecar.DefaultMinFree, Args: orchestrator.HideValues(os.Args[1:]), Tool: tool(), Host: host,
		Guard: guardLine, Tell: console.Tell}
	rec, err := orchestrator.Live(ctx, q, f.repeat)
	if err != nil {
		return err
	}
	check.Tried(tasks, rec)
	a.code = orchestrator.CheckExitCode(ctx, rec)
	return nil
}
