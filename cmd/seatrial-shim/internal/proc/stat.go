//go:build linux

// Package proc lists the processes of a container and ends those that belong to one command.
package proc

import (
	"bytes"
	"io"
	"os"
	"strconv"
)

// Process is one process as /proc tells it (proc(5)).
type Process struct {
	PID     int
	Name    string
	Parent  int
	Group   int
	Session int
	// Start is the start time in clock ticks since boot. It tells two processes with the same id apart.
	Start uint64
	// Dead is set for a process that only waits to be reaped.
	Dead bool
}

// ParseStat reads the text of /proc/PID/stat. The name may hold spaces and parentheses, so the last ")" ends it.
// ok is false where the text is none.
func ParseStat(b []byte) (p Process, ok bool) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 1 || end < open {
		return Process{}, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(b[:open])))
	f := bytes.Fields(b[end+1:])
	if err != nil || len(f) < 20 {
		return Process{}, false
	}
	p = Process{PID: pid, Name: string(b[open+1 : end])}
	// f[0] is field 3 of the manual's list.
	var threads int
	for _, n := range []struct {
		to    *int
		field int
	}{{&p.Parent, 4}, {&p.Group, 5}, {&p.Session, 6}, {&threads, 20}} {
		if *n.to, err = strconv.Atoi(string(f[n.field-3])); err != nil {
			return Process{}, false
		}
	}
	if p.Start, err = strconv.ParseUint(string(f[22-3]), 10, 64); err != nil {
		return Process{}, false
	}
	// A process whose first thread has ended shows as a zombie while its other threads run on.
	p.Dead = (f[0][0] == 'Z' || f[0][0] == 'X') && threads <= 1
	return p, true
}

// List returns the processes that this process can see; those that end meanwhile may be missing.
func List() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var list []Process
	for {
		names, err := dir.Readdirnames(512)
		for _, name := range names {
			if p, ok := read(name); ok {
				list = append(list, p)
			}
		}
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
	}
}

// maxStat is more than a stat line can have.
const maxStat = 4096

func read(name string) (Process, bool) {
	if name == "" || name[0] < '0' || name[0] > '9' {
		return Process{}, false
	}
	f, err := os.Open("/proc/" + name + "/stat")
	if err != nil {
		return Process{}, false
	}
	defer f.Close()
	buf := make([]byte, maxStat)
	n, err := f.Read(buf)
	if err != nil {
		return Process{}, false
	}
	return ParseStat(buf[:n])
}
