//go:build linux

package main

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/script"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// initProcess is a container's first process: it starts argv if there is one, reaps every orphan, and ends at once when it is
// told to; the kernel then kills all that is left. When argv ends, its exit code is ours.
func initProcess(argv []string) int {
	signals := settle(initThreads)
	child := 0
	if len(argv) > 0 {
		pid, err := spawn(argv)
		if err != nil {
			complain("the container's own command did not start: " + err.Error())
			return spawnExit(err)
		}
		child = pid
	}
	return serve(signals, child)
}

// hold waits until it is told to end. Unlike init it calls that a success.
func hold() int {
	serve(settle(initThreads), 0)
	return 0
}

// serve handles signals until it is to end, and returns the exit code.
func serve(signals <-chan os.Signal, child int) int {
	// A child may have ended before signals were looked at.
	if code, ended := reapAll(child); ended {
		return code
	}
	for s := range signals {
		sig, ok := s.(unix.Signal)
		switch {
		case !ok:
		case sig == unix.SIGTERM || sig == unix.SIGINT:
			return exitSignalBase + int(sig)
		case child != 0 && forwardable(sig):
			_ = unix.Kill(child, sig) // it may just have ended
		}
		// A flood of other signals may have crowded out a SIGCHLD, so each one is taken for it.
		if code, ended := reapAll(child); ended {
			return code
		}
	}
	return 0
}

// reapAll takes in all dead children and says whether child was among them.
func reapAll(child int) (code int, ended bool) {
	for {
		var st unix.WaitStatus
		pid, err := unix.Wait4(-1, &st, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return code, ended
		}
		if pid == child {
			code, ended = exitCode(st), true
		}
	}
}

func spawn(argv []string) (int, error) {
	file, err := script.Find(argv[0], searchPath(os.Environ()))
	if err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(file, argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if err == nil {
		return pid, nil
	}
	if f := script.Diagnose(file, err); f != nil {
		return 0, f
	}
	return 0, &script.Failure{Kind: shim.StartFormat, Detail: file + " is a script without a first line that names its interpreter"}
}

func spawnExit(err error) int {
	if f := new(script.Failure); errors.As(err, &f) && isMissing(f.Kind) {
		return exitNotFound
	}
	return exitCannotRun
}

// exitCode is the shell's way to put an end into one number.
func exitCode(st unix.WaitStatus) int {
	if st.Signaled() {
		return exitSignalBase + int(st.Signal())
	}
	return st.ExitStatus()
}
