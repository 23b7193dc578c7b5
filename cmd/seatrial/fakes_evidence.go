package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
)

func (a *app) fakesDiffCmd() *cobra.Command {
	var f evidenceFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff",
		Short: "Show what has changed between the state before and after",
		Long:  `Exit codes: 0 nothing changed, 1 something changed, 2 nothing can be said.`,
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := evidence.Open(f.dir)
			if err != nil {
				return err
			}
			changes, err := e.Diff(evidence.Query{Servers: f.servers})
			if err != nil {
				return err
			}
			for _, change := range changes {
				if asJSON {
					if err := a.jsonLine(change); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintln(a.out, changeLine(change))
			}
			if len(changes) > 0 {
				a.code = 1
			}
			return nil
		},
	}
	f.add(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	return c
}

// changeLine shows a change on one line: the row, or the fields that differ.
func changeLine(c evidence.Change) string {
	shown := func(v any) string { out, _ := json.Marshal(v); return string(out) } // what was read from JSON can be written
	var line strings.Builder
	fmt.Fprintf(&line, "%-8s %s %s %s", c.Kind, c.Server, c.Entity, oneLine(c.ID))
	switch {
	case len(c.Fields) > 0:
		for _, f := range c.Fields {
			fmt.Fprintf(&line, "  %s: %s -> %s", oneLine(f.Name), shown(f.Before), shown(f.After))
		}
	case c.After != nil:
		line.WriteString("  " + shown(c.After))
	default:
		line.WriteString("  " + shown(c.Before))
	}
	return line.String()
}

func (a *app) fakesCallsCmd() *cobra.Command {
	var f evidenceFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "calls",
		Short: "List the calls, in their order",
		Long:  `Exit codes: 0 there are such calls, 1 there are none, 2 nothing can be said.`,
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := evidence.Open(f.dir)
			if err != nil {
				return err
			}
			a.code = 1
			err = e.Calls(evidence.Query{Servers: f.servers, Tools: f.tools}, func(line evidence.CallLine) error {
				a.code = 0
				if asJSON {
					return a.jsonLine(line)
				}
				mark := " "
				if line.Write {
					mark = "W"
				}
				fmt.Fprintf(a.out, "%6d  %-10s %s %s %s %s\n", line.Seq, line.Outcome, mark, line.Server, oneLine(line.Tool), oneLine(string(line.Arguments)))
				return nil
			})
			if err != nil {
				a.code = 2
			}
			return err
		},
	}
	f.add(c.Flags())
	c.Flags().StringSliceVar(&f.tools, "tool", nil, "list only calls of this tool (repeatable)")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	return c
}

func (a *app) jsonLine(v any) error {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	if _, err := fmt.Fprintln(a.out, string(out)); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// oneLine keeps what an agent sent on one line and out of the terminal's controls.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) {
			return ' '
		}
		return r
	}, s)
}
