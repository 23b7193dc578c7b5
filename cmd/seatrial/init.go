package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/task/example"
)

func (a *app) initCmd() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "init KIND NAME",
		Short: "Write a small complete task or agent to begin with",
		Long: `Writes the folder NAME with an example in it that can be checked and run as it stands, and is there to be changed. KIND is one of

  task      a task with its own test.sh, and two probes that hold its tests to what they should say
  scoring   a task that is scored by primitives, as tests/scoring.toml says, without a test.sh
  fake      a task with a faked server beside the agent
  agent     an agent that is put on a task's image

NAME has lower-case letters, digits, "-", "_" and ".". Nothing that exists is overwritten.`,
		Args:      exactly(2, "a kind ("+strings.Join(example.Kinds(), ", ")+") and a name"),
		ValidArgs: example.Kinds(),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := example.Write(args[0], dir, args[1])
			if err != nil {
				return &orchestrator.UsageError{Cause: err}
			}
			at := filepath.Join(dir, args[1])
			for _, f := range all {
				fmt.Fprintln(a.out, filepath.Join(at, filepath.FromSlash(f.Path)))
			}
			fmt.Fprintln(a.out)
			for _, n := range example.Next(args[0], at) {
				fmt.Fprintf(a.out, "%-44s # %s\n", n[0], n[1])
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder to write NAME into; made if it is not there")
	return c
}
