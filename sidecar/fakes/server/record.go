package server

import (
	"slices"
	"sync"

	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/fakes/world"
)

// record ties a world to the evidence that it leaves.
type record struct {
	world    *world.World
	scenario string
	servers  []string

	mu     sync.Mutex
	writer *evidence.Writer // nil keeps no evidence
	steps  []string
	frozen bool
	err    error // what the first Freeze returned
}

// begin writes down how things stand before the first call.
func (r *record) begin(dir string) error {
	if dir == "" {
		return nil
	}
	w, err := evidence.Create(dir)
	if err != nil {
		return err
	}
	r.writer = w
	r.world.Record(world.Journal{Calls: w.Calls(), Outbound: w.Outbound(), Violations: w.Violations(), Refused: w.Refused()})
	return w.Begin(r.world.Manifest(), r.world.Snapshot())
}

// Step implements Recorder.
func (r *record) Step(name string) error {
	if err := checkStep(name); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.frozen:
		return &FrozenError{"a snapshot of step " + name}
	case slices.Contains(r.steps, name):
		return &StepNameError{Name: name, Taken: true}
	}
	state := r.world.Step(name)
	r.steps = append(r.steps, name)
	if r.writer == nil {
		return nil
	}
	return r.writer.Step(name, state)
}

// Freeze implements Recorder.
func (r *record) Freeze() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frozen {
		return r.err
	}
	r.frozen = true
	state := r.world.Freeze()
	if r.writer != nil {
		// A journal with a hole must not look complete: without done.json the evidence counts as missing.
		if r.err = r.world.Err(); r.err == nil {
			r.err = r.writer.Finish(state)
		}
	}
	return r.err
}

// Status implements Recorder.
func (r *record) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.world.Status()
	return Status{Scenario: r.scenario, Servers: r.servers, Calls: w.Calls, Refused: w.Refused, Outbound: w.Outbound,
		Violations: w.Violations, Steps: slices.Clone(r.steps), Frozen: r.frozen}
}
