package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator/report/html"
	"github.com/seatrial/seatrial/orchestrator/report/view"
)

func (a *app) viewCmd() *cobra.Command {
	var f reportFlags
	var port int
	c := &cobra.Command{
		Use:   "view RUN",
		Short: "Show a run in a browser on this machine",
		Long: `Serves the page of a run (its folder, or its run.json) on 127.0.0.1 and prints the address. The page is made anew each time it is loaded, so that it shows a run
that is under way as it is. The files of the run's folder are served too, as text. Ctrl-C ends it. See docs/report.md.`,
		Args: exactly(1, "the folder of a run, or its run.json"),
		RunE: func(c *cobra.Command, args []string) error {
			if port < 0 || port > 65535 {
				return usage("--port %d: want a port, or 0 for any that is free", port)
			}
			in, err := f.input(args[0])
			if err != nil {
				return err
			}
			page := func(w io.Writer) error {
				now, err := f.input(args[0])
				if err != nil {
					return err
				}
				now.Links = true
				return html.Write(w, *now)
			}
			return view.Serve(c.Context(), in.Folder, page, port, func(address string) { fmt.Fprintln(a.out, address) })
		},
	}
	f.add(c)
	c.Flags().IntVar(&port, "port", 0, "the port to listen on (0: any that is free)")
	return c
}
