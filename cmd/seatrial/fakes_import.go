package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar/fakes/draft"
)

func (a *app) fakesImportCmd() *cobra.Command {
	var o draft.Options
	var headers []string
	c := &cobra.Command{Use: "import", Short: "Begin a fake from the contract of a real server", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	openapi := &cobra.Command{
		Use:   "openapi FILE",
		Short: "Begin a fake from an OpenAPI file",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.drafted(draft.OpenAPI(args[0], o))
		},
	}
	tools := &cobra.Command{
		Use:   "mcp URL|FILE",
		Short: "Begin a fake from an MCP server, or from a file that holds its answer to tools/list",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if o.Header, err = parseHeaders(headers); err != nil {
				return err
			}
			return a.drafted(draft.MCP(c.Context(), args[0], o))
		},
	}
	tools.Flags().StringArrayVar(&headers, "header", nil, "`'NAME: VALUE'` to send along (repeatable)")
	for _, v := range []*cobra.Command{openapi, tools} {
		v.Flags().StringVar(&o.Dir, "dir", "environment/fakes", "folder of the fakes; the server gets a folder of its own there")
		v.Flags().StringVar(&o.Name, "name", "", "the server's name (default: from the contract)")
	}
	c.AddCommand(openapi, tools)
	return c
}

func (a *app) drafted(d draft.Draft, err error) error {
	if err != nil {
		return err
	}
	for _, path := range d.Files {
		fmt.Fprintln(a.out, path)
	}
	fmt.Fprintf(a.err, "%d tools; what each one reads, writes and does is for you to declare\n", d.Tools)
	return nil
}
