package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

// gcLimit bounds a clean-up by hand.
const gcLimit = 5 * time.Minute

func (a *app) gcCmd() *cobra.Command {
	var dry, kept, foreign bool
	var trial, runID string
	var cf cacheFlags
	c := &cobra.Command{
		Use:   "gc",
		Short: "Remove what dead runs have left on the engine",
		Long: `Removes containers, networks and volumes of runs whose process is dead. Only objects that bear
seatrial's labels are touched; what a live run owns stays, and what was kept on purpose (run --keep) until its
time is over, or somebody is inside.

With --cache it removes what no run owns instead: what is kept to be faster the next time.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cf.check(c); err != nil {
				return err
			}
			e, err := a.connect(c.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			if cf.cache {
				return a.gcCache(c.Context(), e, &cf, dry)
			}
			ctx, cancel := context.WithTimeout(c.Context(), gcLimit)
			defer cancel()
			if trial != "" || runID != "" {
				return a.gcNamed(ctx, e, sidecar.Selector{Trial: trial, Run: runID}, dry)
			}
			return a.gcStale(ctx, e, dry, kept, foreign)
		},
	}
	c.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would be removed, and which stacks are kept until when, and remove nothing")
	c.Flags().BoolVar(&kept, "kept", false, "also remove stacks that were kept with --keep and whose time is not over")
	c.Flags().BoolVar(&foreign, "foreign", false, "also remove what processes of other hosts own, which cannot be seen from here")
	c.Flags().StringVar(&trial, "trial", "", "remove exactly this trial, kept or not")
	c.Flags().StringVar(&runID, "run", "", "remove exactly this run's objects, kept or not")
	cf.add(c)
	return c
}

func (a *app) gcStale(ctx context.Context, e *sidecar.Engine, dry, kept, foreign bool) error {
	act, word := e.Sweep, "removed"
	if dry {
		act, word = e.Stale, "would remove"
	}
	list, err := act(ctx, sidecar.Self(), kept, foreign)
	for _, s := range list {
		fmt.Fprintf(a.out, "%s %s (run %s, trial %s)\n", word, s.Object, s.Run, s.Trial)
	}
	if err == nil && len(list) == 0 {
		fmt.Fprintln(a.out, "nothing to remove")
	}
	if err == nil && dry {
		return a.gcKept(ctx, e)
	}
	return a.leaked(err)
}

// gcKept lists the stacks that were kept on purpose.
func (a *app) gcKept(ctx context.Context, e *sidecar.Engine) error {
	list, err := e.Kept(ctx)
	now := time.Now()
	for _, k := range list {
		fmt.Fprintln(a.out, keptLine(k, now))
	}
	return err
}

// keptLine says of a kept stack whose it is, since when and until when.
func keptLine(k sidecar.Kept, now time.Time) string {
	since, until, state := "an unknown time", "somebody removes it", "frozen"
	if !k.Since.IsZero() {
		since = k.Since.UTC().Format(time.DateTime) + " UTC"
	}
	if !k.Until.IsZero() {
		until = k.Until.UTC().Format(time.DateTime) + " UTC"
		if now.After(k.Until) {
			until += ", which is over"
		}
	}
	if k.Open {
		state = "running"
	}
	return fmt.Sprintf("kept trial %s of run %s, since %s until %s (%s)", k.Trial, k.Run, since, until, state)
}

func (a *app) gcNamed(ctx context.Context, e *sidecar.Engine, sel sidecar.Selector, dry bool) error {
	list, err := e.List(ctx, sel)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(a.out, "nothing to remove")
		return nil
	}
	word := "would remove"
	if !dry {
		word, err = "removed", e.Remove(ctx, sel)
	}
	if err == nil {
		for _, o := range list {
			fmt.Fprintf(a.out, "%s %s\n", word, o)
		}
	}
	return a.leaked(err)
}

// leaked sets the exit code for what could not be removed.
func (a *app) leaked(err error) error {
	var leak *sidecar.LeakError
	if errors.As(err, &leak) {
		a.code = orchestrator.ExitLeak
	}
	return err
}
