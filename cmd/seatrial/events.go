package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/feed"
	"github.com/seatrial/seatrial/orchestrator/report"
	"github.com/seatrial/seatrial/orchestrator/spans"
)

// eventFlags say who hears what happens in a run, beside whoever watches the terminal.
type eventFlags struct{ file string }

func (f *eventFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "events", "", "write what happens to this `file` while it does, a JSON object a line; - for standard output, where the summary then is not (see docs/events.md)")
}

// check refuses two things on standard output.
func (f *eventFlags) check(asJSON bool) error {
	if f.file == "-" && asJSON {
		return usage("--events - and --json both write to standard output; give --events a file")
	}
	return nil
}

// summaryTo is the stream for people who read the summary of a run.
func (f *eventFlags) summaryTo(a *app) io.Writer {
	if f.file == "-" {
		return a.err
	}
	return a.out
}

// longestCause bounds what is shown of another program's words, in bytes.
const longestCause = 400

// watched gives a run's events to the terminal, to a stream if there is to be one, and to a trace if the environment asks for one. None of these holds up the run or
// makes it fail. end ends them, and says what did not get through; it is called once the run is over, and may be called again.
func (a *app) watched(ctx context.Context, f *eventFlags, resumed bool) (console *report.Console, tell func(orchestrator.Event), end func(), err error) {
	start := feed.To(a.out)
	if f.file != "-" && f.file != "" {
		if start, err = feed.File(f.file, resumed); err != nil {
			return nil, nil, nil, usage("--events %s: %w", f.file, err)
		}
	}
	console, stop := a.console()
	note := func(text string) {
		console.Tell(orchestrator.Event{Kind: orchestrator.OnNote, Text: report.Short(text, longestCause)})
	}
	tells := []func(orchestrator.Event){console.Tell}
	var ends []func() error
	if f.file != "" {
		stream := feed.New(start, func(text string) { note("--events " + f.file + ": " + text) })
		tells, ends = append(tells, stream.Tell), append(ends, named("--events "+f.file, stream.Close))
	}
	trace, err := spans.FromEnv(ctx, a.lookup, tool())
	if err != nil {
		note("traces: " + err.Error())
	}
	if trace != nil {
		tells, ends = append(tells, trace.Tell), append(ends, named("traces", func() error { return trace.Close(ctx) }))
	}
	tell = func(e orchestrator.Event) {
		for _, t := range tells {
			t(e)
		}
	}
	return console, tell, sync.OnceFunc(func() {
		for _, e := range ends {
			if err := e(); err != nil {
				note(err.Error())
			}
		}
		stop()
	}), nil
}

// named adds to an error what it is about.
func named(what string, do func() error) func() error {
	return func() error {
		if err := do(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
}
