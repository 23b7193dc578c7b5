package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/seatrial/seatrial/orchestrator"
)

// withSignals ends the context at the first interrupt, which it says at once. Further ones are answered, and change nothing: cutting a clean-up
// short is how things are left behind. A broken pipe on the program's output must not end it either.
func (a *app) withSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signal.Ignore(syscall.SIGPIPE)
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		first := true
		for {
			select {
			case sig := <-ch:
				if first {
					cancel(&orchestrator.InterruptedError{Signal: signalName(sig)})
					fmt.Fprintf(a.err, "\nseatrial: %s: ending; finished trials keep their results\n", signalName(sig))
				} else {
					fmt.Fprintf(a.err, "seatrial: still removing; it does not go faster by another signal\n")
				}
				first = false
			case <-done:
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(ch); close(done); cancel(nil) }
}

func signalName(s os.Signal) string {
	switch s {
	case os.Interrupt:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return s.String()
}
