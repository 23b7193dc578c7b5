//go:build linux

package proc

// Run tells which processes belong to one command.
type Run struct {
	// Self is the child subreaper that started the command: all descendants of it belong to the run.
	Self int
	// Orphans says that children of process 1 which came during the run belong to it too. That is only true
	// where process 1 is a plain holder that starts nothing by itself.
	Orphans bool

	before   map[key]bool
	sessions map[int]bool
}

type key struct {
	pid   int
	start uint64
}

// NewRun returns a Run of self, with the processes that are there before the command starts.
func NewRun(self int, orphans bool, before []Process) *Run {
	r := &Run{Self: self, Orphans: orphans, before: map[key]bool{}, sessions: map[int]bool{}}
	for _, p := range before {
		r.before[key{p.PID, p.Start}] = true
		r.sessions[p.Session] = true
	}
	return r
}

// Pick returns the processes of list that belong to the run. Those that were there before, their children, and processes
// that came into the container from outside (parent 0) do not.
func (r *Run) Pick(list []Process) []Process {
	children := make(map[int][]int, len(list)) // indexes by parent
	for i, p := range list {
		children[p.Parent] = append(children[p.Parent], i)
	}
	var picked []Process
	seen := map[int]bool{r.Self: true}
	var queue []int
	take := func(indexes []int, fits func(Process) bool) {
		for _, i := range indexes {
			if p := list[i]; !seen[p.PID] && fits(p) {
				seen[p.PID] = true
				picked = append(picked, p)
				queue = append(queue, p.PID)
			}
		}
	}
	all := func(Process) bool { return true }
	take(children[r.Self], all)
	if r.Orphans {
		take(children[1], r.stray)
	}
	for len(queue) > 0 {
		pid := queue[0]
		queue = queue[1:]
		take(children[pid], all)
	}
	return picked
}

// stray says whether a child of process 1 came with the run. One in a session that was there before is more likely
// the orphan of a service that was there before.
func (r *Run) stray(p Process) bool {
	return !r.before[key{p.PID, p.Start}] && !r.sessions[p.Session]
}
