package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
)

// version is set by the linker; a build without it says "dev".
var version = "dev"

// tool is what records say about this program.
func tool() orchestrator.Tool {
	t := orchestrator.Tool{Name: "seatrial", Version: version, Commit: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		dirty := ""
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				t.Commit = s.Value
			case "vcs.modified":
				if s.Value == "true" {
					dirty = "-dirty"
				}
			}
		}
		t.Commit += dirty
	}
	return t
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t := tool()
			fmt.Fprintf(a.out, "seatrial %s (commit %s, %s, %s/%s)\n", t.Version, t.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
