package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/sidecar/fakes/format"
)

// maxDecode is the largest answer that is decoded, in bytes.
const maxDecode = 64 << 20

func (a *app) fakesDecodeCmd() *cobra.Command {
	var name string
	var codec format.Codec
	c := &cobra.Command{
		Use:   "decode",
		Short: "Turn an answer of a fake into JSON",
		Long: `Reads an answer in a server's own format from standard input and prints it as JSON with sorted keys.
Exit codes: 0 decoded, 1 it is not of this format, 2 it could not be read.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if codec.Format = format.Format(name); !slices.Contains(format.Formats(), codec.Format) {
				return usage("--format %s: want json, prefixed_json, toon or text", name)
			}
			text, err := io.ReadAll(io.LimitReader(a.in, maxDecode+1))
			if err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			if len(text) > maxDecode {
				return usage("the answer is larger than %d MiB", maxDecode>>20)
			}
			v, err := codec.Decode(string(text))
			if err != nil {
				a.code = 1
				return err
			}
			fmt.Fprintln(a.out, string(format.Canonical(v)))
			return nil
		},
	}
	c.Flags().StringVar(&name, "format", "json", "the answer's format: json, prefixed_json, toon or text")
	c.Flags().StringVar(&codec.Prefix, "prefix", "", "the prefix of prefixed_json")
	return c
}
