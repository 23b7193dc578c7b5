package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/compare"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	format                      string
	strict, noGate              bool
	vary                        []string
	minDelta, passBar, minScore float64
	maxRegressions              int
}

func (a *app) compareCmd() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Say what changed from one run to another",
		Long: `Compares two runs, each given by its folder or its run.json: cases are joined by id, else by legacy id. A difference in score is given only where both sides
are complete with a score by the same rules; what is incomplete or has no score is neither a pass nor a regression, and is listed with the reason.
See docs/compare.md.

Exit codes: 0 nothing got worse; 1 there are regressions, or another gate failed; 2 the command line is wrong, a run cannot be read, cases cannot be joined without guessing, or --strict
found a difference; 3 nothing could be compared.`,
		Args: exactly(2, "the folders of two runs, the older one first"),
		RunE: func(c *cobra.Command, args []string) error {
			o, g, err := f.options(c.Flags())
			if err != nil {
				return err
			}
			var runs [2]*orchestrator.RunRecord
			for i, path := range args {
				if runs[i], err = orchestrator.ReadRun(path); err != nil {
					return err
				}
			}
			rec, err := compare.Compare(runs[0], runs[1], o)
			if err != nil {
				return err
			}
			return a.compared(rec, &f, g)
		},
	}
	c.Flags().StringVar(&f.format, "format", "text", "how the comparison is written: text, json, or markdown, for a comment on a pull request")
	c.Flags().BoolVar(&f.strict, "strict", false, "take it for an error (exit code 2) that the runs differ in anything besides results: "+strings.Join(compare.Kinds(), ", "))
	c.Flags().StringSliceVar(&f.vary, "vary", nil, "what may differ although --strict is given, such as model (repeatable)")
	c.Flags().Float64Var(&f.minDelta, "min-delta", compare.DefaultMinDelta, "how far a score must move to count as a regression or an improvement")
	c.Flags().Float64Var(&f.passBar, "pass-bar", orchestrator.DefaultPassBar, "the score from which on a trial has passed; given, or where a run has several trials of a case, pass@k and pass^k are shown")
	c.Flags().BoolVar(&f.noGate, "no-gate", false, "let regressions pass: they do not change the exit code")
	c.Flags().IntVar(&f.maxRegressions, "max-regressions", 0, "how many regressions are let pass")
	c.Flags().Float64Var(&f.minScore, "min-score", 0, "exit with 1 if the mean score of NEW is lower")
	return c
}

// options checks the flags.
func (f *compareFlags) options(s *pflag.FlagSet) (compare.Options, compare.Gates, error) {
	o, g := compare.Options{MinDelta: f.minDelta}, compare.Gates{Off: f.noGate, MaxRegressions: f.maxRegressions}
	switch {
	case !slices.Contains([]string{"text", "json", "markdown"}, f.format):
		return o, g, usage("--format %s: want text, json or markdown", f.format)
	case f.minDelta < 0 || math.IsNaN(f.minDelta) || math.IsInf(f.minDelta, 0):
		return o, g, usage("--min-delta %g: want a number from 0 on", f.minDelta)
	case f.maxRegressions < 0:
		return o, g, usage("--max-regressions %d: want 0 or more", f.maxRegressions)
	case f.noGate && s.Changed("max-regressions"):
		return o, g, usage("--no-gate and --max-regressions exclude each other")
	case len(f.vary) > 0 && !f.strict:
		return o, g, usage("--vary goes with --strict")
	}
	for _, kind := range f.vary {
		if !slices.Contains(compare.Kinds(), kind) {
			return o, g, usage("--vary %s: want one of %s", kind, strings.Join(compare.Kinds(), ", "))
		}
	}
	var err error
	if o.PassBar, err = finite(s, "pass-bar", f.passBar); err != nil {
		return o, g, err
	}
	g.MinScore, err = finite(s, "min-score", f.minScore)
	return o, g, err
}

// compared writes a comparison and sets the exit code.
func (a *app) compared(rec *compare.Comparison, f *compareFlags, g compare.Gates) error {
	var err error
	switch f.format {
	case "json":
		err = a.print(rec)
	case "markdown":
		err = compare.WriteMarkdown(a.out, rec)
	default:
		err = compare.WriteText(a.out, rec)
	}
	if err != nil {
		return err
	}
	if f.strict {
		if err := rec.Strict(f.vary); err != nil {
			return fmt.Errorf("--strict: %w", err)
		}
	}
	code, reasons := rec.Exit(g)
	for _, r := range reasons {
		fmt.Fprintf(a.err, "seatrial: %s\n", r)
	}
	a.code = code
	return nil
}
