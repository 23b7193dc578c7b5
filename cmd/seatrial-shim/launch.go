//go:build linux

package main

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/script"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// launch starts the program, mending what a shell would mend.
func (j *job) launch(l *launching) (int, *shim.StartError) {
	pid, err := forkExec(l.file, l.argv, &l.attr)
	if l.id != nil && (errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL)) {
		if !sameUser(*l.id) {
			return 0, &shim.StartError{Kind: shim.StartSwitch, Detail: "cannot switch to user " + j.spec.User + " (uid " +
				strconv.Itoa(int(l.id.UID)) + "): " + err.Error() + "; the container lacks the capability for it"}
		}
		j.warn("user_switch", "the supplementary groups could not be set: "+err.Error())
		l.attr.Sys.Credential = nil
		pid, err = forkExec(l.file, l.argv, &l.attr)
	}
	if err == nil {
		return pid, nil
	}
	f := script.Diagnose(l.file, err)
	if f != nil {
		return 0, startError(f)
	}
	shell := shellFor()
	if !j.spec.Script || shell == "" {
		return 0, &shim.StartError{Kind: shim.StartFormat, Detail: script.WhyText(l.file)}
	}
	j.warn("no_shebang", script.WhyText(l.file)+"; "+shell+" ran it")
	pid, err = forkExec(shell, append([]string{shell}, append([]string{l.file}, l.argv[1:]...)...), &l.attr)
	if err != nil {
		return 0, startError(&script.Failure{Kind: shim.StartInterpreter, Detail: shell + " did not start: " + err.Error()})
	}
	return pid, nil
}

func shellFor() string {
	for _, shell := range []string{"/bin/bash", "/bin/sh"} {
		if _, err := os.Stat(shell); err == nil {
			return shell
		}
	}
	return ""
}

// forkExec waits a moment for what passes by itself: a file that is still being written, a full process table.
func forkExec(file string, argv []string, attr *syscall.ProcAttr) (int, error) {
	const tries, pause = 20, 50 * time.Millisecond
	for try := 1; ; try++ {
		pid, err := syscall.ForkExec(file, argv, attr)
		if try == tries || (!errors.Is(err, unix.ETXTBSY) && !errors.Is(err, unix.EAGAIN)) {
			return pid, err
		}
		time.Sleep(pause)
	}
}

func startError(err error) *shim.StartError {
	if f := new(script.Failure); errors.As(err, &f) {
		return &shim.StartError{Kind: f.Kind, Detail: f.Detail}
	}
	return &shim.StartError{Kind: shim.StartOther, Detail: err.Error()}
}
