package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar/fakes/client"
)

func (a *app) fakesCallCmd() *cobra.Command {
	var headers []string
	c := &cobra.Command{
		Use:   "call TARGET TOOL [JSON]",
		Short: "Call a tool of a fake, or of a real server",
		Long: `Calls one tool as an agent would and prints the answer. TARGET is the URL of an MCP server, or the name of a fake that
is served on this host. TOOL is a tool's name, or a method and a path for plain HTTP:

  seatrial fakes call billing get_invoice '{"id": "inv_1"}'
  seatrial fakes call billing 'GET /v1/invoices/inv_1'

Exit codes: 0 answered, 1 refused, 2 no answer.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(c *cobra.Command, args []string) error {
			var body json.RawMessage
			if len(args) > 2 {
				if body = json.RawMessage(args[2]); !json.Valid(body) {
					return usage("the arguments are no JSON: %s", args[2])
				}
			}
			header, err := parseHeaders(headers)
			if err != nil {
				return err
			}
			answer, err := client.Call(c.Context(), args[0], args[1], body, header)
			if err != nil {
				return err
			}
			if answer.Status != "" {
				fmt.Fprintln(a.err, answer.Status)
			}
			fmt.Fprintln(a.out, strings.TrimSuffix(answer.Text, "\n"))
			if answer.Failed {
				a.code = 1
			}
			return nil
		},
	}
	c.Flags().StringArrayVar(&headers, "header", nil, "`'NAME: VALUE'` to send along (repeatable)")
	return c
}

func parseHeaders(list []string) (http.Header, error) {
	h := http.Header{}
	for _, one := range list {
		name, value, ok := strings.Cut(one, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usage("--header: want 'NAME: VALUE'")
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return h, nil
}
