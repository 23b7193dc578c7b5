package orchestrator

import (
	"slices"
	"sync"
)

// mostBeside bounds how many neighbours a trial's lock names.
const mostBeside = 64

// crowd knows which trials of a run are under way. A nil one knows of none. It is safe for concurrent use.
type crowd struct {
	mu    sync.Mutex
	begun int
	now   map[*neighbour]bool
}

// neighbour is a trial among the others.
type neighbour struct {
	name  string
	order int // it was the n-th to begin
	count int // of those beside it
	names []string
}

// enter adds a trial, which is told of all that are under way, and they of it.
func (c *crowd) enter(name string) *neighbour {
	n := &neighbour{name: name}
	if c == nil {
		return n
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	n.order = c.begun
	if c.now == nil {
		c.now = map[*neighbour]bool{}
	}
	for other := range c.now {
		n.meets(other.name)
		other.meets(name)
	}
	c.now[n] = true
	return n
}

func (n *neighbour) meets(name string) {
	if n.count++; len(n.names) < mostBeside {
		n.names = append(n.names, name)
	}
}

// leave takes a trial out and says, sorted, whom it met.
func (c *crowd) leave(n *neighbour) (names []string, count int) {
	if c == nil || n == nil {
		return nil, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.now, n)
	slices.Sort(n.names)
	return n.names, n.count
}
