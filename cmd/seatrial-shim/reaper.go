//go:build linux

package main

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// end is how and when the command ended; its zero value stands for one that could not be killed.
type end struct {
	status unix.WaitStatus
	at     time.Time
}

// reaper takes in the command and all orphans that become our children.
type reaper struct {
	leader chan end      // gets the command's end
	none   chan struct{} // closed when no child is left
}

// reap starts to take in children. It goes on until none is left, which may be after this process's own end.
func reap(pid int) reaper {
	r := reaper{leader: make(chan end, 1), none: make(chan struct{})}
	go func() {
		defer close(r.none)
		for {
			var st unix.WaitStatus
			got, err := unix.Wait4(-1, &st, 0, nil)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil:
				return
			case got == pid && (st.Exited() || st.Signaled()):
				r.leader <- end{st, time.Now()}
			}
		}
	}()
	return r
}
