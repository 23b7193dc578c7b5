//go:build linux

package main

import (
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sys/unix"
)

// Threads that are kept ready. Go's runtime ends the process when it needs one and the container's limit of processes
// is reached, and it never gives up one that it has.
const (
	initThreads = 5
	runThreads  = 8
)

// settle makes the process modest and lets it live on when no more threads can be had. Every signal that can be caught is, and
// comes to the returned channel or is dropped: as a container's first process, Go's own answer to some would be to end.
func settle(threads int) <-chan os.Signal {
	const room = 64
	signals := make(chan os.Signal, room)
	signal.Notify(signals)
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(25)
	var ready, done sync.WaitGroup
	release := make(chan struct{})
	ready.Add(threads)
	for range threads {
		done.Go(func() {
			// A goroutine that waits while it is locked to its thread keeps that thread from all others.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			<-release
		})
	}
	ready.Wait()
	close(release)
	done.Wait()
	return signals
}

// forwardable says whether a signal is for the command of a container's first process: not one that the runtime or the
// kernel sends us about ourselves.
func forwardable(s unix.Signal) bool {
	switch s {
	case unix.SIGURG, unix.SIGCHLD, unix.SIGPIPE, unix.SIGPROF, unix.SIGTTIN, unix.SIGTTOU, unix.SIGTSTP:
		return false
	default:
		return true
	}
}
