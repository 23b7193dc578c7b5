package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/orchestrator/report/html"
	"github.com/seatrial/seatrial/orchestrator/report/junit"
)

// reportFlags are shared by report and view.
type reportFlags struct {
	passBar float64
	against string
}

func (f *reportFlags) add(c *cobra.Command) {
	c.Flags().Float64Var(&f.passBar, "pass-bar", 1, "the least score of a case that has passed")
	c.Flags().StringVar(&f.against, "against", "", "an earlier run (its folder or run.json) to compare with")
}

// input reads the runs that the page shows.
func (f *reportFlags) input(path string) (*html.Input, error) {
	if math.IsNaN(f.passBar) || math.IsInf(f.passBar, 0) {
		return nil, usage("--pass-bar %g: want a finite number", f.passBar)
	}
	rec, folder, err := orchestrator.LoadRun(path)
	if err != nil {
		return nil, err
	}
	in := &html.Input{Run: rec, Folder: folder, PassBar: f.passBar}
	if f.against != "" {
		if in.Against, _, err = orchestrator.LoadRun(f.against); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (a *app) reportCmd() *cobra.Command {
	var f reportFlags
	var page, xml string
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Write what a run came to as a page for people or as JUnit XML",
		Long: `Reads a run (its folder, or its run.json) and writes RUN/report.html, one page that stands alone: the cases with their scores, reasons, errors and times, a
timeline, and the logs of what did not pass. With --junit it writes JUnit XML, and the page only if --html is given too. The file - is standard output. See
docs/report.md.`,
		Args: exactly(1, "the folder of a run, or its run.json"),
		RunE: func(_ *cobra.Command, args []string) error {
			in, err := f.input(args[0])
			if err != nil {
				return err
			}
			if page == "-" && xml == "-" {
				return usage("--html and --junit cannot both go to standard output")
			}
			if page == "" && xml == "" {
				page = filepath.Join(in.Folder, "report.html")
			}
			return a.saveReports(in, page, xml, a.out)
		},
	}
	f.add(c)
	c.Flags().StringVar(&page, "html", "", "the page's file (default: report.html in the run's folder)")
	c.Flags().StringVar(&xml, "junit", "", "the file for JUnit XML")
	return c
}

// saveReports writes the reports that have a file, and says where they are.
func (a *app) saveReports(in *html.Input, page, xml string, told io.Writer) error {
	in.Links = beside(page, in.Folder)
	var errs []error
	for _, one := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{xml, func(w io.Writer) error { return junit.Write(w, in.Run, junit.Options{PassBar: in.PassBar}) }},
		{page, func(w io.Writer) error { return html.Write(w, *in) }},
	} {
		if one.file == "" {
			continue
		}
		err := report.Save(one.file, a.out, one.write)
		errs = append(errs, err)
		if err == nil && one.file != "-" {
			fmt.Fprintln(told, one.file)
		}
	}
	return errors.Join(errs...)
}

// beside reports that a page lies in the run's folder, so that it can lead to the files there.
func beside(page, folder string) bool {
	p, err := filepath.Abs(filepath.Dir(page))
	if err != nil || page == "-" {
		return false
	}
	f, err := filepath.Abs(folder)
	return err == nil && p == f
}
