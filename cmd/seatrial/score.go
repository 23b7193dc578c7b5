package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/verifier/score"
)

// maxAnswers bounds a submission and the expected answers, in bytes.
const maxAnswers = 64 << 20

func (a *app) scoreCmd() *cobra.Command {
	var spec, submission, truth, out string
	var seconds float64
	var points bool
	c := &cobra.Command{
		Use:   "score --spec FILE --submission FILE --truth FILE",
		Short: "Score a submission against expected answers",
		Long: `Compares a submission with the expected answers, both JSON, as a specification (JSON, or TOML by its name) says, and prints a line for each dimension.
With --out it writes reward.json, with the weighted total as "reward", and reward-details.json; in test.sh that is /logs/verifier.
A submission that is missing, a link or no JSON scores 0. What is wrong with the specification or the expected answers is an error, exit code 2, and no score.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for name, v := range map[string]string{"--spec": spec, "--truth": truth, "--submission": submission} {
				if v == "" {
					return usage("%s FILE is required", name)
				}
			}
			var used *float64
			if c.Flags().Changed("time") {
				if math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < 0 {
					return usage("--time %g: want seconds", seconds)
				}
				used = &seconds
			}
			total, results, err := scoreFiles(spec, submission, truth, used)
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
			fmt.Fprintf(a.out, "%s  total\n", show(total))
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
	return c
}

func scoreFiles(spec, submission, truth string, seconds *float64) (float64, []score.Result, error) {
	text, err := readFile(spec)
	if err != nil {
		return 0, nil, err
	}
	s, err := score.ParseSpec(text, strings.HasSuffix(spec, ".toml"))
	if err != nil {
		return 0, nil, &orchestrator.UsageError{Cause: fmt.Errorf("%s: %w", spec, err)}
	}
	text, err = readFile(truth)
	if err != nil {
		return 0, nil, err
	}
	expected, err := score.ParseJSON(text)
	if err != nil {
		return 0, nil, &orchestrator.UsageError{Cause: fmt.Errorf("%s: %w", truth, err)}
	}
	submitted := submittedIn(submission)
	total, results, err := s.Score(submitted, expected, seconds)
	if err != nil {
		return 0, nil, &orchestrator.UsageError{Cause: err}
	}
	return total, results, nil
}

// submittedIn reads a submission. It is an agent's, and may be anything: what is missing, a link (to the expected answers, say), too large or no JSON has
// nothing in it.
func submittedIn(name string) any {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := readFile(name)
	if err != nil {
		return nil
	}
	v, err := score.ParseJSON(text)
	if err != nil {
		return nil
	}
	return v
}

// readFile reads a plain file of a bounded size.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, &orchestrator.UsageError{Cause: err}
	case !info.Mode().IsRegular():
		return nil, &orchestrator.UsageError{Cause: fmt.Errorf("%s: want a plain file", name)}
	case info.Size() > maxAnswers:
		return nil, &orchestrator.UsageError{Cause: fmt.Errorf("%s: larger than %d bytes", name, maxAnswers)}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, &orchestrator.UsageError{Cause: err}
	}
	return data, nil
}
