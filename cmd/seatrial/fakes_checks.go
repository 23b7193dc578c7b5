package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/reward"
)

// defaultEvidence is where the evidence of the fakes is in a verifier's container.
const defaultEvidence = "/logs/artifacts/fakes"

// evidenceFlags choose the evidence and what of it.
type evidenceFlags struct {
	dir            string
	servers, tools []string
	reward         string
	rewardsDir     string
}

func (f *evidenceFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.dir, "evidence", defaultEvidence, "folder of the evidence")
	s.StringSliceVar(&f.servers, "server", nil, "look at this server only (repeatable; default: all)")
}

func (f *evidenceFlags) addReward(s *pflag.FlagSet) {
	s.StringVar(&f.reward, "reward", "", "also write the result to reward.json as the dimension `NAME`, 1 or 0, and the reason to reward-details.json")
	s.StringVar(&f.rewardsDir, "rewards-dir", reward.DefaultDir, "folder of the rewards")
}

func (a *app) fakesUnchangedCmd() *cobra.Command {
	var f evidenceFlags
	c := &cobra.Command{
		Use:   "state-unchanged",
		Short: "Pass if the state after is the state before",
		Long: `Passes if every entity that some tool writes, outbound effects included, is as it was before the agent came.
Exit codes: 0 unchanged, 1 changed, 2 nothing can be said.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := evidence.Open(f.dir)
			if err != nil {
				return err
			}
			r, err := e.StateUnchanged(f.servers...)
			return a.verdict(&f, "state unchanged", r, err)
		},
	}
	f.add(c.Flags())
	f.addReward(c.Flags())
	return c
}

func (a *app) fakesNoWriteCmd() *cobra.Command {
	var f evidenceFlags
	c := &cobra.Command{
		Use:   "no-write-attempted",
		Short: "Pass if the agent tried to write nothing",
		Long: `Passes if no writing tool was called, whether the call succeeded or not. With --tool, only calls of the named tools count,
and those to a tool that does not exist count too if it is named.
Exit codes: 0 none attempted, 1 attempted, 2 nothing can be said.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := evidence.Open(f.dir)
			if err != nil {
				return err
			}
			r, err := e.NoWriteAttempted(evidence.Query{Servers: f.servers, Tools: f.tools})
			return a.verdict(&f, "no write attempted", r, err)
		},
	}
	f.add(c.Flags())
	f.addReward(c.Flags())
	c.Flags().StringSliceVar(&f.tools, "tool", nil, "count only calls of this tool (repeatable)")
	return c
}

// verdict tells a check's result by the exit code, a line, and the rewards if they are wanted.
func (a *app) verdict(f *evidenceFlags, what string, r evidence.Result, err error) error {
	if err != nil {
		return err
	}
	word := "pass"
	if !r.Pass {
		word, a.code = "fail", 1
	}
	fmt.Fprintf(a.out, "%s: %s: %s\n", word, what, r.Reason)
	if f.reward == "" {
		return nil
	}
	if err := reward.Add(f.rewardsDir, reward.Dimension{Name: f.reward, Criterion: what, Pass: r.Pass, Reasoning: r.Reason}); err != nil {
		a.code = 2
		return err
	}
	return nil
}
