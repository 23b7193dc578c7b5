package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/orchestrator"
)

// keepFlags say which stacks are kept for a look inside, and for how long.
type keepFlags struct {
	which string
	until time.Duration
}

func (f *keepFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.which, "keep", "", "keep stacks for a look inside (see seatrial enter): failed or always")
	s.DurationVar(&f.until, "keep-for", orchestrator.DefaultKeepFor, "with --keep, how long; later runs and seatrial gc remove them then (0: until somebody removes them)")
}

// apply checks the flags and sets the options.
func (f *keepFlags) apply(s *pflag.FlagSet, o *orchestrator.Options) error {
	switch {
	case f.which != "" && f.which != "failed" && f.which != "always":
		return usage("--keep %s: want failed or always", f.which)
	case s.Changed("keep-for") && f.which == "":
		return usage("--keep-for goes with --keep")
	case f.until != 0 && f.until < time.Minute || f.until > 10*365*24*time.Hour:
		return usage("--keep-for %s: want at least 1m, or 0", f.until)
	}
	o.Keep, o.KeepFor = f.which, f.until
	return nil
}
