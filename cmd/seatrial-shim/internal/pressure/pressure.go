//go:build linux

// Package pressure reads what the kernel says of how scarce things were for the control group of this process.
package pressure

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/cmd/seatrial-shim/internal/cgroup"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// Reading is what the counters say at one moment. What the kernel does not tell is nil.
type Reading struct {
	own                     string // /proc/self/cgroup
	periods, throttled, hit *int64
	seconds, load           *float64
	waited                  *int64 // microseconds
}

// Begin reads the counters before a command.
func Begin() Reading { return read(cgroup.Own()) }

func read(own string) Reading {
	r := Reading{own: own}
	r.periods, r.throttled, r.seconds = throttling(first(own, "cpu", "cpu.stat", "cpu.stat"))
	r.hit = field(first(own, "pids", "pids.events", "pids.events"), "max")
	r.load, r.waited = load(cgroup.Read("/proc/loadavg")), waited(cgroup.Read("/proc/pressure/cpu"))
	return r
}

// Since is how scarce things were since then. dir is the folder whose file system's free space is told.
func (r Reading) Since(dir string) *shim.Pressure {
	now := read(r.own)
	p := &shim.Pressure{CPUPeriods: since(r.periods, now.periods), CPUThrottled: since(r.throttled, now.throttled), PidsHit: since(r.hit, now.hit), LoadBefore: r.load, LoadAfter: now.load}
	if r.seconds != nil && now.seconds != nil && *now.seconds >= *r.seconds {
		s := *now.seconds - *r.seconds
		p.ThrottledSec = &s
	}
	p.MemoryPeak = number(first(r.own, "memory", "memory.max_usage_in_bytes", "memory.peak"))
	p.MemoryLimit = bounded(number(first(r.own, "memory", "memory.limit_in_bytes", "memory.max")))
	p.PidsLimit = number(first(r.own, "pids", "pids.max", "pids.max"))
	if n := since(r.waited, now.waited); n != nil {
		s := float64(*n) * 1e-6
		p.CPUWaitSec = &s
	}
	p.DiskFree = free(dir)
	return p
}

func since(before, after *int64) *int64 {
	if before == nil || after == nil || *after < *before {
		return nil
	}
	n := *after - *before
	return &n
}

// throttling reads a cpu.stat: of v1 throttled_time counts nanoseconds, of v2 throttled_usec microseconds.
func throttling(text string) (periods, throttled *int64, seconds *float64) {
	periods, throttled = field(text, "nr_periods"), field(text, "nr_throttled")
	for name, unit := range map[string]float64{"throttled_time": 1e-9, "throttled_usec": 1e-6} {
		if n := field(text, name); n != nil {
			s := float64(*n) * unit
			seconds = &s
		}
	}
	return periods, throttled, seconds
}

// field finds the line "NAME N".
func field(text, name string) *int64 {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			return number(f[1])
		}
	}
	return nil
}

// number reads one; "max" and anything negative is none.
func number(text string) *int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// bounded takes a memory limit as large as v1 has it where there is none for none.
func bounded(n *int64) *int64 {
	if n == nil || *n >= math.MaxInt64&^0xfffff {
		return nil
	}
	return n
}

// load is the first of the three averages of /proc/loadavg, of the whole machine.
func load(text string) *float64 {
	f := strings.Fields(text)
	if len(f) < 1 {
		return nil
	}
	v, err := strconv.ParseFloat(f[0], 64)
	if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// waited is for how many microseconds something waited, from the line "some ... total=N" of a pressure file (Documentation/accounting/psi.rst of Linux).
func waited(text string) *int64 {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "some" {
			continue
		}
		if total, ok := strings.CutPrefix(f[len(f)-1], "total="); ok {
			return number(total)
		}
	}
	return nil
}

// free is the space that users have left on the file system of a folder, in bytes.
func free(dir string) *int64 {
	var st unix.Statfs_t
	if dir == "" || unix.Statfs(dir, &st) != nil || st.Bsize <= 0 || st.Bavail > math.MaxInt64/uint64(st.Bsize) {
		return nil
	}
	n := int64(st.Bavail) * st.Bsize //nolint:gosec // bounded above
	return &n
}

// first is the text of the first file that there is for a controller, by its names in version 1 and 2.
func first(own, controller, v1, v2 string) string {
	for _, name := range cgroup.Files(own, controller, v1, v2) {
		if text := cgroup.Read(name); text != "" {
			return text
		}
	}
	return ""
}
