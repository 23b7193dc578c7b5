package difftrial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/orchestrator/difftrial"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/verifier"
)

func ptr[T any](v T) *T { return &v }

// record is that of a trial which went well.
func record(id string) *orchestrator.TrialRecord {
	begin := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	exec := func(name string) *orchestrator.Exec {
		return &orchestrator.Exec{StartedAt: &begin, Exit: ptr(0), Seconds: 2.5, LimitSeconds: 600, LimitSource: "task.toml", OOMKills: ptr(int64(0)), ChangedFiles: ptr(int64(3)), UserSeconds: 1.25,
			SystemSeconds: 0.5, MaxRSSKB: 20480, Pressure: &shim.Pressure{PidsLimit: ptr(int64(512)), MemoryPeak: ptr(int64(64 << 20)), MemoryLimit: ptr(int64(1 << 30))},
			Stdout: orchestrator.Stream{Path: name + "/stdout.log", Bytes: 40}, Stderr: orchestrator.Stream{Path: name + "/stderr.log"}}
	}
	return &orchestrator.TrialRecord{Format: orchestrator.TrialFormat, SchemaVersion: 1, RunID: "r", TrialID: "t-" + id, StartedAt: begin, FinishedAt: begin.Add(time.Minute), Tool: orchestrator.Tool{Name: "seatrial", Version: "1.0.0"},
		Case: orchestrator.Case{ID: "alpha", LegacyID: "alpha", Runner: "harbor", Task: orchestrator.TaskRef{Path: "/tasks/alpha", Name: "alpha", Checksum: "sha256:1"}, Status: orchestrator.Complete, Score: ptr(1.0),
			ContractVersion: ptr(1), Scores: []verifier.Score{
				{Name: "reward", Value: ptr(1.0), Status: "scored"},
				{Name: "truth", Value: ptr(1.0), Status: "scored", Kind: "llm", Judge: "j-1", Criteria: []verifier.Criterion{{Name: "says so", Value: ptr(1.0), Status: "scored", Reasoning: "it does"}, {Name: "is short", Value: ptr(1.0), Status: "scored"}}},
			}, Result: orchestrator.Result{Tokens: &orchestrator.Tokens{Input: ptr(int64(1000)), Output: ptr(int64(100))}, Cost: ptr(0.5), AgentExit: ptr(0)},
			Warnings: []orchestrator.Warning{}, Timing: orchestrator.Timing{Build: ptr(0.5), Start: ptr(0.25), Setup: ptr(0.75), Agent: ptr(3.0), Collect: ptr(0.125), Verifier: ptr(1.0), Teardown: ptr(0.5), Total: 5.5}},
		StepFacts: orchestrator.StepFacts{Agent: exec("agent"), Verifier: exec("verifier"), RewardFile: "reward.json", TestsDigest: "sha256:2"},
		Limits:    []orchestrator.LimitRecord{{Phase: "agent", Seconds: 600, Source: "task.toml"}, {Phase: "verifier", Seconds: 60, Source: "default"}},
		Images:    map[string]string{"main": "sha256:aa", "db": "sha256:bb"}, Containers: map[string]string{"main": id}, Network: "public", EnvNames: []string{"HOME", "TOKEN"}, Leaks: []string{}, Restarts: []string{},
		EngineCalls: 19}
}

// logs are the files that the record of a trial names.
func logs() map[string]string {
	return map[string]string{"agent/stdout.log": "begin\nread\nwrite\nend\n", "agent/stderr.log": "", "verifier/stdout.log": "ok 1\nok 2\n", "verifier/stderr.log": ""}
}

// folder writes a trial's folder and finds it again.
func folder(t testing.TB, rec *orchestrator.TrialRecord, files map[string]string) *orchestrator.TrialPlace {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "trials", "alpha")
	data, err := orchestrator.Encode(rec)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "trial.json", string(data))
	for name, text := range files {
		write(t, dir, name, text)
	}
	p, err := orchestrator.FindTrial(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func compared(t testing.TB, was, now *orchestrator.TrialPlace, parts ...string) *difftrial.Diff {
	t.Helper()
	d, err := difftrial.Compare(t.Context(), was, now, parts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shown is a comparison as text and as JSON, without the places of the folders.
func shown(t testing.TB, d *difftrial.Diff) (text, data string) {
	t.Helper()
	c := *d
	c.Old.Run, c.New.Run = "OLD", "NEW"
	var b strings.Builder
	if err := difftrial.WriteText(&b, &c); err != nil {
		t.Fatal(err)
	}
	j, err := orchestrator.Encode(&c)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), string(j)
}
