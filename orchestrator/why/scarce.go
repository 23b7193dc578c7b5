package why

import (
	"fmt"
	"strings"

	"github.com/seatrial/seatrial/orchestrator/report"
)

const (
	// muchThrottled is the share of the periods of a processor limit in which it held a command back that is worth telling.
	muchThrottled = 0.2
	// overloaded is how many processes a processor have to want to run, for the machine to be too busy.
	overloaded = 2.0
	// little is the space on a disk, in bytes, that counts as none.
	little = 16 << 20
)

// processes: the container had as many processes as it may have.
func processes(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		p := c.pressure()
		n := known(p.PidsHit)
		if n == 0 {
			continue
		}
		f := Finding{Side: e.doing(c), Code: PidsLimit, Cause: true, Proof: []string{c.at("pressure.pids_limit_hit", n)}}
		f.Sentence = fmt.Sprintf("the container was refused another process %s while %s ran%s", plural(n, "time"), c.who, c.in)
		if p.PidsLimit != nil {
			f.Sentence += fmt.Sprintf(": it may have %d", *p.PidsLimit)
			f.Proof = append(f.Proof, c.at("pressure.pids_limit", *p.PidsLimit))
		}
		out = append(out, f)
	}
	return out
}

// disk: a command's last words are of a full disk. Without space where it ran, that is the reason; else another file system may have been meant.
func disk(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		said, free := e.spoke(c), c.pressure().DiskFree
		full := free != nil && *free < little
		if said == "" && !full {
			continue
		}
		f := Finding{Side: Unknown, Code: DiskFull, Cause: said != "" && full}
		if said != "" {
			f.Proof = append(f.Proof, said)
		}
		if free != nil {
			f.Proof = append(f.Proof, c.at("pressure.disk_free_bytes", *free))
		}
		switch {
		case f.Cause:
			f.Side, f.Next = Machine, "make room on the engine's disk, and see what filled it"
			f.Sentence = fmt.Sprintf("the disk was full: %s said so%s, and %s were left where it ran", c.who, c.in, report.Bytes(*free))
		case full:
			f.Sentence = fmt.Sprintf("only %s were left on the disk when %s had ended%s", report.Bytes(*free), c.who, c.in)
		case free != nil:
			f.Sentence = fmt.Sprintf("the last output of %s%s speaks of a full disk, and %s were left where it ran: another file system, or a quota, may be meant", c.who, c.in, report.Bytes(*free))
		default:
			f.Sentence = fmt.Sprintf("the last output of %s%s speaks of a full disk; how much was left is not recorded", c.who, c.in)
		}
		out = append(out, f)
	}
	return out
}

// spoke is the last line of a command's output that speaks of a full disk.
func (e *Evidence) spoke(c command) string {
	said := ""
	for _, l := range e.tail(c) {
		for _, line := range l.Lines {
			low := strings.ToLower(line.Text)
			if strings.Contains(low, noSpace) || strings.Contains(low, "enospc") || strings.Contains(low, "disk quota exceeded") {
				said = logged(l.File, line)
			}
		}
	}
	return said
}

// throttled: the container's own processor limit held a command back. It can be the reason where the command ran into its limit of time.
func throttled(e *Evidence) []Finding {
	var out []Finding
	for _, c := range e.commands() {
		p := c.pressure()
		all, held := known(p.CPUPeriods), known(p.CPUThrottled)
		if all == 0 || held == 0 || held > all || float64(held) < muchThrottled*float64(all) {
			continue
		}
		f := Finding{Side: Task, Code: CPUThrottled, Cause: c.Limit != "", Proof: []string{c.at("pressure.cpu_throttled_periods", held), c.at("pressure.cpu_periods", all)}}
		f.Sentence = fmt.Sprintf("the container's processor limit held %s back%s in %s of its periods", c.who, c.in, percent(float64(held), float64(all)))
		if p.ThrottledSec != nil {
			f.Sentence += fmt.Sprintf(", for %s in all, all processors together", seconds(*p.ThrottledSec))
			f.Proof = append(f.Proof, c.at("pressure.cpu_throttled_seconds", *p.ThrottledSec))
		}
		if f.Cause {
			f.Sentence += fmt.Sprintf(", and its limit of %s fired", seconds(c.LimitSeconds))
			f.Next = "raise cpus in [environment] of task.toml, or the limit of time"
		}
		out = append(out, f)
	}
	return out
}

// busy: the machine had far more to do than it has processors, before a command began and when it had ended. A load that the command itself may have made is no
// evidence. It can be the reason where the command ran into its limit of time.
func busy(e *Evidence) []Finding {
	if e.Lock == nil || e.Lock.Machine.CPUs <= 0 {
		return nil
	}
	cpus := e.Lock.Machine.CPUs
	var out []Finding
	for _, c := range e.commands() {
		p := c.pressure()
		if p.LoadBefore == nil || p.LoadAfter == nil || min(*p.LoadBefore, *p.LoadAfter) < overloaded*float64(cpus) {
			continue
		}
		f := Finding{Side: Machine, Code: HostBusy, Cause: c.Limit != "",
			Proof: []string{c.at("pressure.load_before", *p.LoadBefore), c.at("pressure.load_after", *p.LoadAfter), proof("lock.json: machine.cpus", cpus)}}
		f.Sentence = fmt.Sprintf("the machine was overloaded: %s processes wanted to run when %s began%s and %s when it had ended, on %s", number(*p.LoadBefore), c.who, c.in, number(*p.LoadAfter), plural(cpus, "processor"))
		if p.CPUWaitSec != nil && c.Seconds > 0 {
			f.Proof = append(f.Proof, c.at("pressure.cpu_wait_seconds", *p.CPUWaitSec)+fmt.Sprintf(", of %s", seconds(c.Seconds)))
		}
		if e.BesideCount > 0 {
			f.Sentence += fmt.Sprintf(", with %s of the run beside it", plural(e.BesideCount, "trial"))
			f.Proof = append(f.Proof, e.besideProof())
		}
		if f.Cause {
			f.Sentence += fmt.Sprintf("; its limit of %s fired", seconds(c.LimitSeconds))
			f.Next = "run it again with fewer trials at a time (`seatrial repro`)"
		}
		out = append(out, f)
	}
	return out
}
