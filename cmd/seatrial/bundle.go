package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/bundle"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/orchestrator/report"
)

func (a *app) bundleCmd() *cobra.Command {
	var withImages, replace bool
	c := &cobra.Command{
		Use:   "bundle RUN/TRIAL OUT.tar.zst",
		Short: "Put all that is needed to reproduce one trial into one file",
		Long: `Writes the records and logs of a recorded trial, its lock, the copies of its task and agent and, with --images, its images into one file, which
seatrial repro and regrade take on another host in the place of RUN/TRIAL. Values of variables are not in it.`,
		Args: exactly(2, "a trial, and the file to write"),
		RunE: func(c *cobra.Command, args []string) error {
			place, done, err := a.place(c, args[0])
			if err != nil {
				return err
			}
			defer done()
			o := bundle.Options{Tool: lockfile.Tool{Version: tool().Version, Commit: tool().Commit}, Lookup: a.lookup}
			if withImages {
				conn, err := a.connect(c.Context())
				if err != nil {
					return err
				}
				defer conn.Close()
				o.Images = images.Transfer{Engine: conn.Client()}
			}
			m, size, err := bundled(c.Context(), place, args[1], replace, o)
			if err != nil {
				return err
			}
			for _, l := range m.LeftOut {
				fmt.Fprintln(a.err, report.Clean("left out: "+l))
			}
			if len(m.Unchecked) > 0 {
				fmt.Fprintln(a.err, report.Clean("not looked for, since their values are not known here: "+strings.Join(m.Unchecked, ", ")))
			}
			fmt.Fprintf(a.out, "%s: %s of case %s, %d images, %d bytes\n", args[1], report.Clean(m.Trial), report.Clean(m.Case), len(m.Images), size)
			return nil
		},
	}
	c.Flags().BoolVar(&withImages, "images", false, "put the images in, too, for a host that has none of them")
	c.Flags().BoolVar(&replace, "replace", false, "write over a file that is there")
	return c
}

// bundled writes a bundle's file, as a whole or not at all.
func bundled(ctx context.Context, p *orchestrator.TrialPlace, name string, replace bool, o bundle.Options) (m *bundle.Manifest, size int64, err error) {
	if _, err := os.Lstat(name); err == nil && !replace {
		return nil, 0, usage("%s is there already; with --replace it is written over", name)
	}
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, usage("%v", err)
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, 0, usage("%v", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	m, err = bundle.Write(ctx, p, f, o)
	if st, serr := f.Stat(); err == nil && serr == nil {
		size = st.Size()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("write %s: %w", name, err)
	}
	return m, size, nil
}

// place is the trial that a command is about: a recorded one, or that of a bundle, which is taken apart for as long as the command runs. done is to be called at the end.
func (a *app) place(c *cobra.Command, trial string) (p *orchestrator.TrialPlace, done func(), err error) {
	if !bundle.Is(trial) {
		p, err = orchestrator.FindTrial(trial)
		return p, func() {}, err
	}
	dir, err := os.MkdirTemp("", "seatrial-bundle-")
	if err != nil {
		return nil, nil, usage("a folder for the bundle: %v", err)
	}
	done = func() { _ = os.RemoveAll(dir) }
	o, err := bundle.Open(c.Context(), trial, dir)
	if err != nil {
		done()
		return nil, nil, err
	}
	a.opened = o
	return o.Place, done, nil
}

// loaded gives the images of the bundle that was opened, if one was, to the engine.
func (a *app) loaded(ctx context.Context) error {
	if a.opened == nil || !a.opened.HasImages() {
		return nil
	}
	conn, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return a.opened.Load(ctx, images.Transfer{Engine: conn.Client()})
}
