package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/internal/nearest"
)

// exactly and atLeast are cobra's argument checks with a sentence that says what is wanted.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s wants %s, and got %d arguments", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return usage("%s wants %s", c.CommandPath(), what)
		}
		return nil
	}
}

// flagError adds the nearest flag to an error about an unknown one.
func flagError(c *cobra.Command, err error) error {
	near := ""
	if _, name, ok := strings.Cut(err.Error(), "unknown flag: --"); ok {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if n := nearest.Of(name, known); n != "" {
			near = "; did you mean --" + n + "?"
		}
	}
	return usage("%w%s; `%s --help` lists the flags", err, near, c.CommandPath())
}
