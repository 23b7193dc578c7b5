//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// freezeSignals tells of SIGUSR1 until the returned function is called. Only who may signal the process can freeze the fakes so: in a sidecar, the tool.
func freezeSignals() (<-chan os.Signal, func()) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGUSR1)
	return ch, func() { signal.Stop(ch) }
}
