package egress

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Line is one attempt.
type Line struct {
	Time   time.Time `json:"time"`
	From   string    `json:"from"` // the service, or its address
	Policy string    `json:"policy"`
	How    string    `json:"how"` // "dns", "tls", "http", "connect" or "tcp"
	Host   string    `json:"host"`
	Port   int       `json:"port,omitempty"`
	// Allowed says that the policy lets it through; Error, why it failed even so, or what was refused.
	Allowed bool   `json:"allowed"`
	Error   string `json:"error,omitempty"`
}

// maxLines bounds the log: an agent may try without end.
const maxLines = 20_000

// journal writes lines, one at a time. The same refusal again within a second is written once.
type journal struct {
	mu    sync.Mutex
	w     io.Writer
	lines [2]int // refused, and allowed
	last  map[string]time.Time
}

func newJournal(w io.Writer) *journal { return &journal{w: w, last: map[string]time.Time{}} }

func (j *journal) add(l Line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	const again, most, longest = time.Second, 4096, 1024
	l.Host = l.Host[:min(len(l.Host), longest)]
	key := fmt.Sprint(l.From, " ", l.How, " ", l.Host, " ", l.Port, " ", l.Policy, " ", l.Allowed)
	kind, half := 0, maxLines/2
	if l.Allowed {
		kind = 1
	}
	if j.lines[kind] > half || l.Time.Sub(j.last[key]) < again {
		return
	}
	if j.lines[kind] == half {
		l = Line{Time: l.Time, Policy: l.Policy, How: l.How, Allowed: l.Allowed, Error: "there was more of this, which is not listed"}
	}
	if len(j.last) > most {
		clear(j.last)
	}
	j.last[key] = l.Time
	j.lines[kind]++
	data, err := json.Marshal(l)
	if err != nil {
		return
	}
	_, _ = j.w.Write(append(data, '\n')) // a full disk must not open or close the way out
}
