package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

func (a *app) doctorCmd() *cobra.Command {
	var asJSON bool
	var runsDir string
	minFree := size(sidecar.DefaultMinFree)
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what runs would find: the engine, its machine, disks, networks, leftovers",
		Long: `Looks at everything that a run depends on, and changes nothing. Each line is ok, warn or fail; what is not ok
comes with a piece of advice. The exit code is 0 unless something fails, and 4 then. No registry is asked.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d := a.examine(c, sidecar.Room{RunsDir: runsDir, MinFree: int64(minFree)})
			if !d.Usable {
				a.code = orchestrator.ExitEngine
			}
			if asJSON {
				return a.tellJSON(d)
			}
			a.tell(d)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	c.Flags().StringVar(&runsDir, "runs-dir", orchestrator.DefaultRunsDir, "folder for the records of runs")
	c.Flags().Var(&minFree, "min-free", "disk space that runs want to be free, for the engine's data and for the records")
	return c
}

// examine finds the engine and has it examined. An address that cannot be followed is a finding too.
func (a *app) examine(c *cobra.Command, room sidecar.Room) sidecar.Diagnosis {
	host, err := a.host()
	if err == nil {
		return sidecar.Examine(c.Context(), host, sidecar.Checkup{Room: room, Bases: images.MakeableNames(), Self: sidecar.Self()})
	}
	return sidecar.Unreachable(host, err, room)
}

// tell prints a line for each finding.
func (a *app) tell(d sidecar.Diagnosis) {
	const column = 15
	warnings := 0
	for _, f := range d.Findings {
		fmt.Fprintf(a.out, "%-4s  %-*s %s\n", f.Level, column, strings.ReplaceAll(f.ID, "_", " "), f.Says)
		if f.Level != sidecar.LevelOK && f.Advice != "" {
			fmt.Fprintf(a.out, "      %-*s %s\n", column, "", f.Advice)
		}
		if f.Level == sidecar.LevelWarn {
			warnings++
		}
	}
	switch {
	case !d.Usable:
		fmt.Fprintln(a.out, "\nRuns cannot start.")
	case warnings > 0:
		fmt.Fprintf(a.out, "\nRuns can start; warnings: %d.\n", warnings)
	default:
		fmt.Fprintln(a.out, "\nRuns can start.")
	}
}

// doctorFormat names the JSON of the findings.
const doctorFormat = "seatrial-doctor"

func (a *app) tellJSON(d sidecar.Diagnosis) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		Format string `json:"format"`
		sidecar.Diagnosis
	}{doctorFormat, d})
	if err != nil {
		return fmt.Errorf("print the findings: %w", err)
	}
	return nil
}
