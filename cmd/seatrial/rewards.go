package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/verifier"
)

func (a *app) rewardsCmd() *cobra.Command {
	c := &cobra.Command{Use: "rewards", Short: "Work with reward files", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(a.rewardsCheckCmd())
	return c
}

func (a *app) rewardsCheckCmd() *cobra.Command {
	var version int
	var harbor, asJSON bool
	c := &cobra.Command{
		Use:   "check DIR",
		Short: "Hold reward files against the rewards contract",
		Long: `Reads reward.json (or reward.txt), reward-details.json and contract.json in DIR, whoever wrote them, and says what they would become in run.json.
DIR is a copy of /logs/verifier, or the folder of a trial with verifier/ in it.

Exit codes: 0 the rewards are valid, with or without a score; 1 they are not; 2 the command line is wrong or DIR cannot be read.`,
		Args: exactly(1, "the folder that the rewards are in"),
		RunE: func(c *cobra.Command, args []string) error {
			opt := verifier.Options{Harbor: harbor}
			if c.Flags().Changed("version") {
				if harbor {
					return usage("--version and --harbor exclude each other: Harbor's own form has no contract")
				}
				opt.Contract, opt.ContractFrom = &version, "--version"
			}
			files, err := orchestrator.ReadRewards(args[0])
			if err != nil {
				return &orchestrator.UsageError{Cause: err}
			}
			rec := orchestrator.JudgeRewards(files, opt)
			if rec.Status != orchestrator.Complete {
				a.code = orchestrator.ExitGate
			}
			if asJSON {
				return a.print(rec)
			}
			for _, line := range report.Rewards(rec) {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
	c.Flags().IntVar(&version, "version", 0, "the version of the rewards contract that the task declares (default: what contract.json declares, else 1)")
	c.Flags().BoolVar(&harbor, "harbor", false, "take any flat object of finite numbers, as Harbor does")
	c.Flags().BoolVar(&asJSON, "json", false, "print what run.json would hold, as JSON")
	return c
}
