package main

import (
	"cmp"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/verifier/score"
)

func (a *app) scoreCmd() *cobra.Command {
	var spec, submission, truth, out string
	var seconds float64
	var points, twice bool
	var image string
	c := &cobra.Command{
		Use:   "score --spec FILE --submission FILE --truth FILE",
		Short: "Score a submission against expected answers",
		Long: `Compares a submission with the expected answers, both JSON, as a specification (JSON, or TOML by its name) says, and prints a line for each dimension.
With --out it writes reward.json, with the weighted total as "reward", and reward-details.json; in test.sh that is /logs/verifier.
A submission that is missing, a link or no JSON scores 0. What is wrong with the specification or the expected answers is an error, exit code 2, and no score.
The script of a specification of type custom-script is run by the engine, in a container of its own without a network.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if spec == "" || submission == "" {
				return usage("--spec FILE and --submission FILE are required")
			}
			var used *float64
			if c.Flags().Changed("time") {
				if math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < 0 {
					return usage("--time %g: want seconds", seconds)
				}
				used = &seconds
			}
			s, err := readSpec(spec)
			if err != nil {
				return err
			}
			f := scoreFiles{spec: spec, submission: submission, truth: truth}
			var total *float64
			var results []score.Result
			switch {
			case s.Custom == nil && (image != "" || twice):
				return usage("--image and --twice are for a specification of type custom-script")
			case s.Custom == nil:
				total, results, err = f.compare(s, used)
			case used != nil:
				return usage("--time is for a specification with dimensions")
			default:
				custom := *s.Custom
				custom.Image, custom.Twice = cmp.Or(image, custom.Image), custom.Twice || twice
				total, results, err = a.evaluate(c.Context(), &f, s, &custom)
			}
			if err != nil {
				return err
			}
			show := func(v float64) string {
				if points {
					return fmt.Sprintf("%.0f", v*1000)
				}
				return fmt.Sprintf("%.4f", v)
			}
			for _, r := range results {
				why := r.Why
				if r.Error != "" {
					why += ": " + r.Error
				}
				fmt.Fprintf(a.out, "%s  %s (weight %.3g): %s\n", show(r.Value), r.Name, r.Weight, why)
			}
			if total != nil {
				fmt.Fprintf(a.out, "%s  total\n", show(*total))
			}
			if out == "" {
				return nil
			}
			return score.Write(out, total, results)
		},
	}
	f := c.Flags()
	f.StringVar(&spec, "spec", "", "the scoring specification")
	f.StringVar(&submission, "submission", "", "what was submitted")
	f.StringVar(&truth, "truth", "", "the expected answers")
	f.Float64Var(&seconds, "time", 0, "seconds that the agent took, for time_decay")
	f.StringVar(&out, "out", "", "folder for reward.json and reward-details.json")
	f.BoolVar(&points, "points", false, "print points of 1000 instead of values from 0 to 1")
	f.StringVar(&image, "image", "", "the image in which a custom script runs, instead of the specification's")
	f.BoolVar(&twice, "twice", false, "run a custom script two times, and take a difference for a fault")
	return c
}
