package world

import (
	"sync"
	"time"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/spec"
)

// World is the fakes of one trial at play. Its methods may be called by several goroutines; calls are carried out one
// after another, in the order in which they come to hold the world.
type World struct {
	scenario string
	seed     int64
	start    time.Time

	mu      sync.Mutex
	names   []string
	servers map[string]*server
	journal Journal
	status  Status
	seq     int64
	steps   []string
	err     error
}

// server is a server with what it holds.
type server struct {
	spec   *spec.Server
	tools  map[string]*spec.Tool
	tables map[string]*table
	faults []*rule
}

// Status says how far a world has come.
type Status struct {
	Calls      int64     `json:"calls"`
	Outbound   int64     `json:"outbound"`
	Violations int64     `json:"violations"`
	Refused    int64     `json:"refused"` // calls after the end
	Frozen     bool      `json:"frozen"`
	Step       int       `json:"step"` // from 1
	Now        time.Time `json:"now"`
}

// New makes the world of a scenario. The same fakes, scenario, seed and time give the same world. The error is that of
// spec.Fakes.Check.
func New(f *spec.Fakes, scenario string, seed int64, now time.Time) (*World, error) {
	if err := f.Check(scenario); err != nil {
		return nil, err
	}
	w := &World{
		scenario: scenario, seed: seed, start: now.UTC().Truncate(time.Millisecond), names: f.Names(),
		servers: map[string]*server{}, status: Status{Step: 1},
	}
	for _, s := range f.Servers {
		sc, _ := s.Scenario(scenario)
		one := &server{spec: s, tools: map[string]*spec.Tool{}, tables: map[string]*table{}}
		for _, t := range s.Tools {
			one.tools[t.Name] = t
		}
		for _, e := range s.Entities {
			one.tables[e.Name] = newTable(e, sc.Seed[e.Name])
		}
		for i := range sc.Faults {
			one.faults = append(one.faults, &rule{fault: &sc.Faults[i]})
		}
		w.servers[s.Name] = one
	}
	return w, nil
}

// Record sends the journal to j from now on.
func (w *World) Record(j Journal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.journal = j
}

// Snapshot gives the state as it is; later calls do not change it.
func (w *World) Snapshot() evidence.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.snapshot()
}

// Step ends a step of the trial and gives the state at its end. Later calls belong to the next step.
func (w *World) Step(name string) evidence.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps = append(w.steps, name)
	w.status.Step++
	return w.snapshot()
}

// Freeze ends the world and gives its last state: later calls are refused and change nothing. It may be repeated.
func (w *World) Freeze() evidence.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.Frozen = true
	return w.snapshot()
}

// Status says how far the world has come.
func (w *World) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.status
	s.Calls, s.Now = w.seq, w.clock()
	return s
}

// Err gives the first error of writing the journal; what was written is incomplete then.
func (w *World) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *World) snapshot() evidence.State {
	state := evidence.State{}
	for name, s := range w.servers {
		state[name] = map[string]map[string]map[string]any{}
		for entity, t := range s.tables {
			rows := make(map[string]map[string]any, len(t.rows))
			for key, r := range t.rows {
				rows[key] = r.fields
			}
			state[name][entity] = rows
		}
	}
	return state
}

// clock gives the virtual time: each call takes a millisecond.
func (w *World) clock() time.Time { return w.start.Add(time.Duration(w.seq) * time.Millisecond) }

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z07:00") }

func addSeconds(t time.Time, n int) time.Time { return t.Add(time.Duration(n) * time.Second) }
