//go:build linux

package proc

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Alive returns the run's living processes.
func (r *Run) Alive() []Process {
	list, err := List()
	if err != nil {
		return nil
	}
	alive := make([]Process, 0, 8)
	for _, p := range r.Pick(list) {
		if !p.Dead {
			alive = append(alive, p)
		}
	}
	return alive
}

// Terminate asks all processes of the run to end; stopped ones are continued, so that they can.
func (r *Run) Terminate() {
	alive := r.Alive()
	r.signal(alive, unix.SIGTERM)
	r.signal(alive, unix.SIGCONT)
}

// Kill kills the processes of the run until none is left or the limit has passed, and returns how many are left.
// All are stopped before the first is killed, so that none can start another one in answer. Whole process groups get
// the signals too: the kernel reaches all members of a group at once, so one that forks all the time cannot slip through.
func (r *Run) Kill(limit time.Duration) int {
	pause := time.Millisecond
	begin := time.Now()
	for end := begin.Add(limit); ; {
		alive := r.Alive()
		if len(alive) == 0 {
			return 0
		}
		r.signal(alive, unix.SIGSTOP)
		r.signal(alive, unix.SIGKILL)
		if time.Since(begin) > limit/2 && r.Orphans && r.alone() {
			// A chain of processes that each start the next in a group of its own and end can outrun the list for ever.
			_ = unix.Kill(-1, unix.SIGKILL) // reaches all but process 1 and this one; an error means that none was left
		}
		if time.Now().After(end) {
			return len(r.Alive())
		}
		time.Sleep(pause)
		pause = min(2*pause, maxPause)
	}
}

// alone says whether all processes that can be seen belong to the run, apart from process 1 and this one.
func (r *Run) alone() bool {
	list, err := List()
	if err != nil {
		return false
	}
	ours := map[int]bool{1: true, r.Self: true}
	for _, p := range r.Pick(list) {
		ours[p.PID] = true
	}
	for _, p := range list {
		if !ours[p.PID] && !p.Dead {
			return false
		}
	}
	return true
}

const maxPause = 20 * time.Millisecond

func (r *Run) signal(list []Process, sig unix.Signal) {
	groups := map[int]bool{}
	for _, p := range list {
		// A group's members share a session, and a session that the run began holds nothing else.
		if p.Group > 1 && p.Group != r.Self && !r.sessions[p.Session] && !groups[p.Group] && sig != unix.SIGTERM {
			groups[p.Group] = true
			_ = unix.Kill(-p.Group, sig) // it may have ended
		}
	}
	for _, p := range list {
		if p.PID > 1 && p.PID != r.Self {
			_ = unix.Kill(p.PID, sig) // it may have ended
		}
	}
}

// Held says whether process 1 is this executable as a container's first process. It compares command lines and files, since
// /proc/1/exe may be closed to us.
func Held() bool { return runs("1", "init", 0) }

// Holding says whether something of ours holds this container: a first process without a command, or a hold behind an entrypoint.
func Holding() bool {
	if runs("1", "init", 2) {
		return true
	}
	list, err := List()
	return err == nil && slices.ContainsFunc(list, func(p Process) bool { return runs(strconv.Itoa(p.PID), "hold", 2) })
}

// runs says whether a process is this program with a verb, and with exactly that many arguments where args is not 0.
func runs(pid, verb string, args int) bool {
	const maxCmdline = 4096
	f, err := os.Open("/proc/" + pid + "/cmdline")
	if err != nil {
		return false
	}
	defer f.Close()
	buf := make([]byte, maxCmdline)
	n, _ := f.Read(buf)
	argv := splitNul(buf[:n])
	if len(argv) < 2 || argv[1] != verb || args != 0 && len(argv) != args || !filepath.IsAbs(argv[0]) {
		return false
	}
	first, err1 := os.Stat(argv[0])
	self, err2 := os.Stat("/proc/self/exe")
	return err1 == nil && err2 == nil && os.SameFile(first, self)
}

func splitNul(b []byte) []string {
	var list []string
	start := 0
	for i, c := range b {
		if c == 0 {
			list = append(list, string(b[start:i]))
			start = i + 1
		}
	}
	return list
}
