package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seatrial/seatrial/internal/terminal"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
)

// terminal is the person's, and what the environment calls its kind; nil = there is none. With both, standard output has to be one: its content may be for
// a program.
func (a *app) terminal(both bool) (orchestrator.Terminal, string) {
	t := terminal.Find(a.in, a.out, a.err)
	if both {
		t = terminal.Find(a.in, a.out)
	}
	if t == nil {
		return nil, ""
	}
	kind, _ := a.lookup("TERM")
	return t, kind
}

// shared is a terminal that the console writes to as well.
type shared struct {
	orchestrator.Terminal
	console *report.Console
}

// Lend implements orchestrator.Terminal.
func (s shared) Lend(use func(*terminal.Screen) error) error {
	defer s.console.Hold()()
	return s.Terminal.Lend(use)
}

// lookFlags ask for a look inside a trial under way.
type lookFlags struct{ before, service string }

func (f *lookFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.before, "pause-before", "", "pause the trial, of which there has to be one, before this `phase` (agent, verifier or teardown), with a shell in its container")
	s.StringVar(&f.service, "shell-in", "", "with --pause-before, the `service` for the shell, as trial.json names its container (default: the agent's, main)")
}

// look is what the flags ask for; nil = nothing.
func (f *lookFlags) look(a *app, console *report.Console) (*orchestrator.Look, error) {
	if f.before == "" {
		if f.service != "" {
			return nil, usage("--shell-in goes with --pause-before")
		}
		return nil, nil //nolint:nilnil // nothing was asked for
	}
	if !slices.Contains(orchestrator.LookPhases(), orchestrator.Phase(f.before)) {
		return nil, usage("--pause-before %s: want %s", f.before, strings.Trim(fmt.Sprint(orchestrator.LookPhases()), "[]"))
	}
	t, kind := a.terminal(false)
	if t == nil {
		return nil, usage("--pause-before opens a shell, which needs a terminal on standard input, and on standard output or standard error")
	}
	return &orchestrator.Look{Before: orchestrator.Phase(f.before), Service: f.service, Terminal: shared{Terminal: t, console: console}, Kind: kind}, nil
}
