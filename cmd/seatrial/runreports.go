package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/report/harbor"
	"github.com/seatrial/seatrial/orchestrator/report/html"
)

// runReports are the reports that run writes at its end.
type runReports struct {
	html, junit string
	harbor      bool
}

func (r *runReports) add(c *cobra.Command) {
	c.Flags().StringVar(&r.html, "html", "", "at the end, write the run's page to this file (see seatrial report)")
	c.Flags().StringVar(&r.junit, "junit", "", "at the end, write JUnit XML to this file")
	c.Flags().BoolVar(&r.harbor, "harbor-results", false, "at the end, write result.json and config.json in Harbor's form for each trial and for the job, into RUN/trials (see docs/harbor-results.md)")
}

// check finds before the run what would keep the reports from being written after it.
func (r *runReports) check() error {
	for flag, file := range map[string]string{"--html": r.html, "--junit": r.junit} {
		switch st, err := os.Stat(filepath.Dir(file)); {
		case file == "":
		case file == "-":
			return usage("%s -: name a file; `seatrial report` can write to standard output", flag)
		case err != nil || !st.IsDir():
			return usage("%s %s: there is no folder %s", flag, file, filepath.Dir(file))
		}
	}
	return nil
}

// reportRun writes the reports of a run. The run is over and recorded, so that a report which cannot be written is said, and changes nothing else but a good
// exit code.
func (a *app) reportRun(r *runReports, rec *orchestrator.RunRecord, folder string) {
	err := a.saveReports(&html.Input{Run: rec, Folder: folder, PassBar: 1}, r.html, r.junit, a.err)
	if r.harbor {
		err = errors.Join(err, a.harborResults(folder, rec))
	}
	if err != nil {
		fmt.Fprintf(a.err, "seatrial: %v\n", err)
		if a.code == orchestrator.ExitOK {
			a.code = orchestrator.ExitIncomplete
		}
	}
}

// harborResults writes a run in Harbor's form, and says where it is. A trial whose record cannot be used is named, and an error.
func (a *app) harborResults(folder string, rec *orchestrator.RunRecord) error {
	at, unread, err := harbor.Write(folder, rec, time.Local)
	for _, u := range unread {
		err = errors.Join(err, fmt.Errorf("not in Harbor's results: %s: %s", u.Path, u.Reason))
	}
	if at != "" {
		fmt.Fprintln(a.err, at)
	}
	return err
}
