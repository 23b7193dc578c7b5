package main

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
)

// audit compares the journal with what was sent: every call is there once, numbered without a gap, and those of one client
// are in the order in which it made them. It returns how many are lost.
func audit(dir string, l *load) (int, error) {
	e, err := evidence.Open(dir)
	if err != nil {
		return 0, err
	}
	mark := regexp.MustCompile(`client-(\d+)-(\d+)`)
	next := make([]int, clients)
	var seq int64
	err = e.Calls(evidence.Query{}, func(c evidence.CallLine) error {
		if seq++; c.Seq != seq {
			return fmt.Errorf("call %d is numbered %d", seq, c.Seq)
		}
		m := mark.FindSubmatch(c.Arguments)
		if m == nil {
			return fmt.Errorf("call %d was made by nobody: %s", c.Seq, c.Arguments)
		}
		who, _ := strconv.Atoi(string(m[1]))
		k, _ := strconv.Atoi(string(m[2]))
		if who >= clients || k != next[who] {
			return fmt.Errorf("call %d of client %d is journaled where its call %d should be", k, who, next[who])
		}
		next[who]++
		return nil
	})
	lost := 0
	for c, n := range l.sent {
		lost += n - next[c]
	}
	return lost, err
}
