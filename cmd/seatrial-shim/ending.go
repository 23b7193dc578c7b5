//go:build linux

package main

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/tree"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// ending puts the command's end into the report.
func (j *job) ending(begin time.Time, e end) {
	if e.at.IsZero() {
		e.at, e.status = time.Now(), unix.WaitStatus(unix.SIGKILL)
	}
	j.rep.Seconds = e.at.Sub(begin).Seconds()
	j.rep.Exit = exitCode(e.status)
	if e.status.Signaled() {
		j.rep.Signal = unix.SignalName(e.status.Signal())
	}
}

// usage adds what the command and its reaped descendants used.
func (j *job) usage() {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &u) != nil {
		return
	}
	j.rep.UserSec = time.Duration(u.Utime.Nano()).Seconds()
	j.rep.SysSec = time.Duration(u.Stime.Nano()).Seconds()
	j.rep.MaxRSSKB = u.Maxrss
}

func (j *job) measure() {
	j.countChanged()
	for _, dir := range j.spec.Measure {
		bytes, files, err := tree.Measure(dir)
		if err != nil {
			j.warn("not_measured", err.Error())
			continue
		}
		if j.rep.Measured == nil {
			j.rep.Measured = map[string]shim.Size{}
		}
		j.rep.Measured[dir] = shim.Size{Bytes: bytes, Files: files}
	}
}

// countChanged counts what the command changed in its folder. The kernel stamps files by a clock that is a tick behind.
func (j *job) countChanged() {
	const tick = 10 * time.Millisecond
	if !j.spec.CountChanged || j.folder == "" {
		return
	}
	n, all, err := tree.Changed(j.folder, j.began.Add(-tick))
	if err == nil && all {
		j.rep.Changed = &n
	}
}
