//go:build linux

package main

import (
	"time"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/proc"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// The ways in which a limit ends a command.
const (
	byTerm = "term"
	byKill = "kill"
)

// cutOff ends the command and all its descendants.
func (j *job) cutOff() string {
	if j.spec.GraceMS > 0 {
		j.family.Terminate()
		grace := time.NewTimer(ms(j.spec.GraceMS))
		defer grace.Stop()
		select {
		case <-j.reaper.none:
		case <-grace.C:
		case <-j.out.gone:
		}
		if len(j.family.Alive()) == 0 {
			return byTerm
		}
	}
	j.rep.Survivors = j.family.Kill(killLimit)
	return byKill
}

// finish takes in the rest of the output, and ends or leaves what outlives the command.
func (j *job) finish() {
	if !j.drain(quiet) {
		j.warn("drain_timeout", "something still printed when the command had ended; what came later was dropped")
	}
	left := j.family.Alive()
	j.nameLeftovers(left)
	switch {
	case j.out.lost():
		j.family.Kill(killLimit)
	case j.spec.KeepLeftovers && j.rep.Limit == "":
		j.leave()
	case len(left) > 0:
		j.rep.Survivors = j.family.Kill(killLimit)
		j.again()
		j.drain(lastWords)
	}
	for _, p := range j.pumps {
		p.close()
	}
	j.rep.Stdout, j.rep.Stderr = j.pumps[0].to.Report(), j.pumps[1].to.Report()
}

func (j *job) nameLeftovers(left []proc.Process) {
	const most = 20
	j.rep.LeftoverCount = len(left)
	for _, p := range left[:min(len(left), most)] {
		j.rep.Leftovers = append(j.rep.Leftovers, shim.Process{PID: p.PID, Name: p.Name})
	}
}

// leave sees to it that processes which live on can go on printing.
func (j *job) leave() {
	var open []uintptr
	for _, p := range j.pumps {
		if !p.eof {
			open = append(open, p.file.Fd())
		}
	}
	if len(open) == 0 {
		return
	}
	if err := leaveDrain(open); err != nil {
		j.warn("drain_missing", "what outlives the command cannot print any more: "+err.Error())
	}
}
