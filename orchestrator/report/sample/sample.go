// Package sample makes run folders for tests: as many trials as wanted, the same ones each time.
package sample

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
)

// Options say what a run folder holds.
type Options struct {
	Cases  int
	Trials int    // of each case; 0 and 1 are the same
	Slots  int    // trials at a time; 0 means 8
	Seed   uint64 // another one gives other results for the same cases
	// Nasty is put into every text that a task or an agent can set.
	Nasty string
}

// Write makes a run's folder with run.json, events.jsonl and the folders of the trials, and returns the record. It is deterministic.
func Write(dir string, o Options) (*orchestrator.RunRecord, error) {
	o.Trials, o.Slots = max(o.Trials, 1), max(o.Slots, 8)
	m := &maker{Options: o, dir: dir, rand: rand.New(rand.NewPCG(o.Seed, 1)), free: make([]time.Time, o.Slots)}
	for i := range m.free {
		m.free[i] = begin()
	}
	rec := m.head()
	for i := range o.Cases {
		c, err := m.whole(i)
		if err != nil {
			return nil, err
		}
		rec.Cases = append(rec.Cases, *c)
	}
	rec.Summary = orchestrator.Summarize(rec.Cases, o.Cases)
	if o.Trials > 1 {
		rec.Summary.Trials = &orchestrator.TrialCounts{Planned: o.Cases * o.Trials, Complete: o.Cases * o.Trials}
	}
	end := m.last
	rec.FinishedAt = &end
	if err := m.save("events.jsonl", []byte(m.events.String())); err != nil {
		return nil, err
	}
	data, err := orchestrator.Encode(rec)
	if err != nil {
		return nil, err
	}
	return rec, m.save("run.json", data)
}

// begin is when every run of this package started.
func begin() time.Time { return time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC) }

type maker struct {
	Options
	dir    string
	rand   *rand.Rand
	free   []time.Time // when each slot is free
	last   time.Time
	events strings.Builder
}

func (m *maker) head() *orchestrator.RunRecord {
	model := "acme/large" + m.Nasty
	return &orchestrator.RunRecord{Format: orchestrator.RunFormat, SchemaVersion: orchestrator.SchemaVersion, RunID: fmt.Sprintf("sample-%d", m.Seed), Status: orchestrator.RunFinished, StartedAt: begin(),
		Tool: orchestrator.Tool{Name: "seatrial", Version: "0.0.0", Commit: "none"}, Runner: orchestrator.RunnerName{Name: "harbor", HarborSchema: []string{"1.4"}},
		Candidate:   orchestrator.Candidate{Agent: "command", Model: &model},
		Spec:        orchestrator.RunSpec{Path: []string{"tasks"}, Trials: m.Trials, Rewards: "task", Timeouts: map[string]any{}, Network: "task", Allow: []string{}, Keep: "never", AgentEnv: []string{}, Args: []string{"run", "tasks"}},
		Environment: orchestrator.Environment{Docker: "28.5.2", API: "1.51", Engine: "Docker Engine", Host: "unix:///var/run/docker.sock", HostSource: "default", OS: "linux", Arch: "amd64", Kernel: "6.1", Images: map[string]string{}},
		Cases:       []orchestrator.Case{}, Leaks: []string{}}
}

// event adds a line to events.jsonl.
func (m *maker) event(e orchestrator.Event) {
	data, _ := json.Marshal(e) // it holds nothing that JSON cannot
	m.events.Write(data)
	m.events.WriteByte('\n')
}

func (m *maker) save(name string, data []byte) error {
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	return nil
}
