package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/images/base"
)

// baseLimit bounds the making of a base image.
const baseLimit = 20 * time.Minute

func (a *app) imagesCmd() *cobra.Command {
	c := &cobra.Command{Use: "images", Short: "Work with images", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(a.imagesBaseCmd())
	return c
}

func (a *app) imagesBaseCmd() *cobra.Command {
	var o base.Options
	c := &cobra.Command{
		Use:   "base NAME...",
		Short: "Make base images present, from the distribution's packages where no registry answers",
		Long: `Takes each image that is on the engine already, else pulls it, else makes it from Debian's packages,
and says which. Names: debian:bookworm-slim, debian:trixie-slim, busybox.`,
		Args:      atLeast(1, "the name of a base image: debian:bookworm-slim, debian:trixie-slim or busybox"),
		ValidArgs: images.MakeableNames(),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := a.connect(c.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			ctx, cancel := context.WithTimeout(c.Context(), baseLimit)
			defer cancel()
			o.Log = a.err
			for _, name := range args {
				r, err := base.Make(ctx, e.Client(), name, o)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				fmt.Fprintln(a.out, told(r))
			}
			return nil
		},
	}
	c.Flags().StringVar(&o.Mirror, "mirror", "", "Debian mirror (default: the host's own, else deb.debian.org)")
	c.Flags().BoolVar(&o.Force, "force", false, "make it even if it is there or could be pulled")
	c.Flags().BoolVar(&o.AllowUnsigned, "allow-unsigned", false, "go on where no key of Debian's signed the release file")
	return c
}

// told says how an image came to be there.
func told(r base.Result) string {
	switch r.How {
	case base.Present:
		return fmt.Sprintf("%s is on the engine (%s)", r.Ref, short(r.ID))
	case base.Pulled:
		return fmt.Sprintf("%s was pulled in %.1f s (%s)", r.Ref, r.Seconds, short(r.ID))
	}
	checked := "its signature was checked"
	if !r.Verified {
		checked = "its signature was not checked"
	}
	return fmt.Sprintf("%s was made from %d packages of Debian %s (release of %s, %s) in %.1f s (%s); no registry answered",
		r.Ref, r.Packages, r.Suite, r.Released, checked, r.Seconds, short(r.ID))
}

func short(id string) string {
	const prefix, digits = "sha256:", 12
	if len(id) > len(prefix)+digits {
		return id[:len(prefix)+digits]
	}
	return id
}
