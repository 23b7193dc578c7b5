//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/oom"
	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/prep"
	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/pressure"
	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/proc"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// run carries a spec out. Its exit code is 0 when a report was written. Signals sent to it are dropped: a command that does
// "pkill" by a pattern must not end its own supervision.
func run(args []string) int {
	settle(runThreads)
	spec, err := parseSpec(args)
	if err != nil {
		complain("cannot read the spec: " + err.Error())
		return exitUsage
	}
	// All orphans of the command become our children, wherever they hide.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		complain("cannot become a child subreaper: " + err.Error())
		return exitUsage
	}
	out := newOutput(unix.Stdout)
	j := &job{spec: spec, out: out, frames: shim.NewWriter(out), unfavour: favourSelf()}
	protect()
	j.carryOut()
	if out.lost() || j.frames.Report(&j.rep) != nil {
		return exitGone
	}
	return 0
}

func parseSpec(args []string) (shim.Spec, error) {
	var s shim.Spec
	d := json.NewDecoder(bytes.NewReader([]byte(strings.Join(args, ""))))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, err
	}
	for _, a := range args {
		wipe(a)
	}
	return s, nil
}

// job is one command from preparation to report.
type job struct {
	spec   shim.Spec
	rep    shim.Report
	out    *output
	frames *shim.Writer
	family *proc.Run
	pumps  []*pump
	reaper reaper
	// unfavour is called when the command has started.
	unfavour func()
	// folder is where the command began, and began when; empty before that.
	folder string
	began  time.Time
}

const (
	// killLimit is how long killing is tried: a process in the kernel's hands (a hanging file system) cannot be killed.
	killLimit = 5 * time.Second
	// quiet ends the wait for output after the command's end: "tee" and the like print a moment later than the command that
	// fed them.
	quiet = 200 * time.Millisecond
	// drainLimit bounds that wait where something goes on printing.
	drainLimit = time.Second
	// lastWords is the same for what was killed, whose pipes close at once.
	lastWords = 50 * time.Millisecond
	// maxMS keeps a limit within what a Duration can hold.
	maxMS = int64(1<<63-1) / int64(time.Millisecond)
)

func (j *job) carryOut() {
	j.rep.OOMKills = oom.Unknown
	j.awaitHold()
	if !j.prepare() {
		return
	}
	if len(j.spec.Argv) == 0 {
		j.measure()
		return
	}
	kills, before := oom.Count(), pressure.Begin()
	begin, failed := j.start()
	if failed != nil {
		j.notStarted(failed)
		return
	}
	last := j.watch()
	j.finish()
	j.ending(begin, last)
	j.rep.OOMKills = oom.Since(kills, oom.Count())
	j.rep.Pressure = before.Since(j.folder)
	j.usage()
	j.measure()
}

func (j *job) prepare() bool {
	done, err := prep.Do(j.spec.Prepare)
	j.rep.Kept = done.Kept
	j.rep.Warnings = append(j.rep.Warnings, done.Warnings...)
	if err == nil {
		err = j.own()
	}
	if err == nil {
		return true
	}
	detail := err.Error()
	if errors.Is(err, unix.EPERM) {
		detail += "; is something there immutable?"
	}
	j.notStarted(&shim.StartError{Kind: shim.StartPrepare, Detail: detail})
	return false
}

func (j *job) notStarted(why *shim.StartError) {
	j.rep.Start, j.rep.Exit = why, exitCannotRun
	if isMissing(why.Kind) {
		j.rep.Exit = exitNotFound
	}
}

func isMissing(kind string) bool { return kind == shim.StartNotFound || kind == shim.StartInterpreter }

// watch waits for the command's end, and brings it about when the limit is reached or nobody listens any more.
func (j *job) watch() end {
	var limit <-chan time.Time
	if j.spec.LimitMS > 0 {
		t := time.NewTimer(ms(j.spec.LimitMS))
		defer t.Stop()
		limit = t.C
	}
	select {
	case e := <-j.reaper.leader:
		return e
	case <-limit:
		j.rep.Limit = j.cutOff()
	case <-j.out.gone:
		j.rep.Survivors = j.family.Kill(killLimit)
	}
	select {
	case e := <-j.reaper.leader:
		return e
	case <-time.After(drainLimit):
		return end{} // it cannot be killed
	}
}

func (j *job) warn(code, detail string) {
	j.rep.Warnings = append(j.rep.Warnings, shim.Warning{Code: code, Detail: detail})
}

func ms(n int64) time.Duration { return time.Duration(min(n, maxMS)) * time.Millisecond }

// protect closes /proc/PID/fd to everybody, the container's root without CAP_SYS_PTRACE included: nobody may write a report of their
// own making into our stream.
func protect() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
