package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/sidecar"
)

// reproFlags are those that reproduce and regrade share.
type reproFlags struct {
	runsDir, runID           string
	keep                     keepFlags
	trials, parallel         int
	anyway, asJSON, capture  bool
	agentEnv, testsEnv, vars []string
	minFree                  size
	look                     lookFlags
	events                   eventFlags
}

func (f *reproFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.BoolVar(&f.anyway, "anyway", false, "run it although not everything that decided it could be held the same")
	s.IntVarP(&f.trials, "trials", "k", 1, "run it `N` times, and tell how often it came out as recorded")
	s.IntVarP(&f.parallel, "parallel", "n", 1, "trials at a time")
	s.StringArrayVar(&f.agentEnv, "agent-env", nil, "`NAME[=VALUE]` for the agent, where its value is not recorded (repeatable)")
	s.StringArrayVar(&f.testsEnv, "verifier-env", nil, "`NAME[=VALUE]` for the tests, likewise (repeatable)")
	s.StringArrayVar(&f.vars, "compose-env", nil, "`NAME[=VALUE]` for compose files, likewise (repeatable)")
	f.keep.add(s)
	f.look.add(s)
	f.events.add(c)
	s.StringVar(&f.runsDir, "runs-dir", orchestrator.DefaultRunsDir, "folder for the records of runs")
	s.StringVar(&f.runID, "run-id", "", "the new run's id and folder name (default: the time and a random part)")
	s.BoolVar(&f.asJSON, "json", false, "print the new run's record on standard output")
	f.minFree = size(sidecar.DefaultMinFree)
	s.Var(&f.minFree, "min-free", "disk space that must be free before anything starts (0: do not look)")
}

func (a *app) reproCmd() *cobra.Command {
	var f reproFlags
	var t taskFlags
	var at string
	c := &cobra.Command{
		Use:   "repro RUN/TRIAL",
		Short: "Run a recorded trial again with all that decided it the same",
		Long: `Runs one recorded trial again: with the copy of the task that the run kept, its images by their ids, the same limits, seeds, clocks and
resources. What cannot be held the same is listed first, and then nothing runs unless --anyway is given. The trial is the path of its folder,
or RUN/TRIAL with the run's folder or id; a bundle's file (see seatrial bundle) may stand for it.`,
		Args: exactly(1, "a trial: the path of its folder, RUN/TRIAL, or a bundle"),
		RunE: func(c *cobra.Command, args []string) error {
			q := &orchestrator.ReproRequest{At: at}
			if t.agent == string(orchestrator.AgentReplay) {
				q.Agent = &orchestrator.AgentChoice{Kind: orchestrator.AgentReplay}
			} else if t.agent != "" || t.agentCmd != "" {
				choice, err := t.choice()
				if err != nil {
					return err
				}
				q.Agent = &choice
			}
			if q.Agent != nil && at != "" {
				return usage("--at goes with the recorded agent")
			}
			return a.reproduce(c, &f, q, args[0])
		},
	}
	f.add(c)
	c.Flags().StringVarP(&t.agent, "agent", "a", "", "who does the work in place of the recorded agent: oracle, nop, an agent.toml, or replay (its recorded end state, see run --capture)")
	c.Flags().StringVar(&t.agentCmd, "agent-cmd", "", "a shell command that does the work in place of the recorded agent")
	c.Flags().StringVar(&t.model, "model", "", "the model of that agent")
	c.Flags().StringVar(&at, "at", "", "begin with this `step`: those before it are put in their recorded end states (see run --capture)")
	c.Flags().BoolVar(&f.capture, "capture", false, "keep the end state of the agent's container")
	return c
}

func (a *app) regradeCmd() *cobra.Command {
	var f reproFlags
	var tests string
	c := &cobra.Command{
		Use:   "regrade RUN/TRIAL",
		Short: "Grade the recorded end state of a trial again, without its agent",
		Long: `Puts the end state of the agent's container, which run --capture kept, in its place again and runs the tests on it: those that were recorded, or
others. No agent runs.`,
		Args: exactly(1, "a trial: the path of its folder, RUN/TRIAL, or a bundle"),
		RunE: func(c *cobra.Command, args []string) error {
			q := &orchestrator.ReproRequest{Agent: &orchestrator.AgentChoice{Kind: orchestrator.AgentReplay}, Tests: tests}
			return a.reproduce(c, &f, q, args[0])
		},
	}
	f.add(c)
	c.Flags().StringVar(&tests, "tests", "", "the `folder` of a task whose tests are run; \"today\" is the recorded task's as it is now (default: the recorded tests)")
	return c
}

// reproduce carries a request out and prints what came of it.
func (a *app) reproduce(c *cobra.Command, f *reproFlags, q *orchestrator.ReproRequest, trial string) error {
	place, done, err := a.place(c, trial)
	if err != nil {
		return err
	}
	defer done()
	q.Place, q.Anyway = place, f.anyway
	if q.Tests == "today" {
		q.Tests = place.Record.Case.Task.Path
		if l, err := orchestrator.ReadLock(place); err == nil {
			q.Tests = l.Task.Path
		}
	}
	if f.trials < 1 || f.trials > 10_000 || f.parallel < 1 || f.parallel > 1000 {
		return usage("-k %d -n %d: want 1 to 10000 trials, and 1 to 1000 at a time", f.trials, f.parallel)
	}
	o := orchestrator.Options{Lookup: a.lookup}
	if err := f.keep.apply(c.Flags(), &o); err != nil {
		return err
	}
	if q.Flags, err = a.reproVariables(f); err != nil {
		return err
	}
	host, err := a.host()
	if err != nil {
		return err
	}
	if err := a.loaded(c.Context()); err != nil {
		return err
	}
	slots, err := hostSlots(a.lookup)
	if err != nil {
		return err
	}
	if err := f.events.check(f.asJSON); err != nil {
		return err
	}
	console, tell, end, err := a.watched(c.Context(), &f.events, false)
	if err != nil {
		return err
	}
	defer end()
	look, err := f.look.look(a, console)
	if err != nil {
		return err
	}
	q.Run = orchestrator.Request{Options: o, Batch: orchestrator.Batch{Parallel: f.parallel, Trials: f.trials, HostSlots: slots}, RunsDir: f.runsDir, RunID: f.runID,
		MinFree: int64(f.minFree), Args: orchestrator.HideValues(os.Args[1:]), Tool: tool(), Host: host, Guard: guardLine, Tell: tell, Look: look, Capture: f.capture}
	q.Told = func(notes []string, differences []lockfile.Difference) {
		for _, line := range report.Prepared(place, notes, differences) {
			fmt.Fprintln(a.err, line)
		}
	}
	rec, _, err := orchestrator.Reproduce(c.Context(), q)
	end()
	if err != nil {
		return err
	}
	a.code = orchestrator.ExitCode(c.Context(), rec, nil)
	if err := a.printRun(rec, f.asJSON, f.events.summaryTo(a)); err != nil || f.asJSON {
		return err
	}
	for _, line := range report.Reproduced(rec) {
		fmt.Fprintln(f.events.summaryTo(a), line)
	}
	return nil
}

// reproVariables are the values of the flags. A name alone takes the environment's, as if the flag had not been given.
func (a *app) reproVariables(f *reproFlags) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	for flag, pairs := range map[string][]string{"agent-env": f.agentEnv, "verifier-env": f.testsEnv, "compose-env": f.vars} {
		values := map[string]string{}
		if _, err := env("--"+flag, pairs, &values, a.lookup); err != nil {
			return nil, err
		}
		out[flag] = values
	}
	return out, nil
}
