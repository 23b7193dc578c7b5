package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

func (a *app) enterCmd() *cobra.Command {
	var service, user string
	var leave bool
	c := &cobra.Command{
		Use:   "enter RUN/TRIAL [-- COMMAND...]",
		Short: "Look inside a kept trial: a shell, or one command",
		Long: `Opens a shell in the stack of a trial that was kept (run --keep), or runs COMMAND there. The stack goes on for as long, and is frozen again
afterwards. The trial is the path of its folder, or RUN/TRIAL with the run's folder or id. Without a terminal a COMMAND is needed; its standard
streams are passed on.

Exit codes: that of the shell or COMMAND; 2 when there is nothing to enter, 4 when the engine is unusable, or the container or the command was lost.`,
		Args: atLeast(1, "a trial: the path of its folder, or RUN/TRIAL"),
		RunE: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); n > 1 || n < 0 && len(args) > 1 {
				return usage("enter wants one trial; a command comes after --, as in `seatrial enter %s -- %s`", args[0], args[1])
			}
			place, err := orchestrator.FindTrial(args[0])
			if err != nil {
				return err
			}
			q := &orchestrator.EnterRequest{Place: place, Service: service, User: user, Command: args[1:], LeaveRunning: leave, In: a.in, Out: a.out, Err: a.err,
				Tell: func(text string) { fmt.Fprintln(a.err, "seatrial: "+text) }}
			q.Terminal, q.Kind = a.terminal(len(q.Command) > 0)
			if q.Terminal == nil && len(q.Command) == 0 {
				return usage("a shell needs a terminal on standard input and output; without one, give a command: seatrial enter %s -- COMMAND", args[0])
			}
			e, err := a.connect(c.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			code, err := orchestrator.Enter(c.Context(), orchestrator.RealEngine{Conn: e}, q)
			if a.code = code; errors.As(err, new(*sidecar.LostError)) || errors.As(err, new(*sidecar.DeadError)) {
				a.code = orchestrator.ExitEngine
			}
			return err
		},
	}
	c.Flags().StringVar(&service, "service", "", "the `service` to enter, as trial.json names its container (default: the agent's, main)")
	c.Flags().StringVarP(&user, "user", "u", "", "the `user` in the container (default: the container's own)")
	c.Flags().BoolVar(&leave, "leave-running", false, "do not freeze the stack again")
	return c
}
