package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// several makes n tasks, of which each takes a moment.
func several(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		name := fmt.Sprintf("task-%d", i)
		makeTask(t, filepath.Join(dir, name), "-- solution/solve.sh --\n#!/bin/sh\nsleep 0.5\ntouch /app/ok\n")
	}
	return dir
}

// trialsOf are the ids of a run's complete trials by their cases.
func trialsOf(t *testing.T, run string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(run, "trials", "*", "trial.json"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		var rec trialRecord
		if err != nil || json.Unmarshal(data, &rec) != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if rec.Case.Status == "complete" {
			ids[fmt.Sprint(rec.Case.ID, rec.Case.Trial)] = rec.TrialID
		}
	}
	return ids
}

func TestABatchGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	dir := several(t, 5)
	j := begin(t, nil, "-n", "2", "-k", "2", "--overcommit", "0", dir)
	until(t, runLimit, "three trials are complete", func() bool { return len(trialsOf(t, j.dir)) >= 3 })
	j.signal(syscall.SIGKILL)
	<-j.exited
	before := trialsOf(t, j.dir)
	code, out, stderr := seatrialWithin(t, 5*time.Minute, nil, "run", "--resume", j.dir, "--json")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var rec struct {
		Status  string
		Summary struct {
			Total, Complete, Missing int
			Trials                   struct{ Planned, Complete, Incomplete, Missing int }
		}
		Leaks []string
	}
	if err := json.Unmarshal([]byte(out), &rec); err != nil {
		t.Fatal(err)
	}
	if s := rec.Summary; rec.Status != "finished" || s.Complete != 5 || s.Missing != 0 || s.Trials.Planned != 10 || s.Trials.Complete != 10 || len(rec.Leaks) > 0 {
		t.Errorf("%+v", rec)
	}
	after := trialsOf(t, j.dir)
	for k, id := range before {
		if after[k] != id {
			t.Errorf("trial %s was run again", k)
		}
	}
	if len(after) != 10 {
		t.Errorf("%d trials", len(after))
	}
	code, _, stderr = seatrial(t, nil, "run", "--resume", j.dir)
	if again := trialsOf(t, j.dir); code != 0 || len(again) != 10 || !strings.Contains(stderr, "10 of 10 trials are complete") {
		t.Errorf("exit code %d, %d trials\n%s", code, len(again), stderr)
	}
	code, out, _ = seatrial(t, nil, "summarize", "--json", j.dir)
	if code != 0 || json.Unmarshal([]byte(out), &rec) != nil || rec.Summary.Trials.Complete != 10 || rec.Summary.Total != 5 {
		t.Errorf("summarized: %d %+v", code, rec)
	}
	clean(t, j.id)
}

func TestARunIsNotGoneOnWithAsAnother(t *testing.T) {
	t.Parallel()
	dir := several(t, 2)
	r := seatrialRun(t, dir)
	resume := func(args ...string) (int, string) {
		code, _, stderr := seatrialWithin(t, 3*time.Minute, nil, append([]string{"run", "--resume", r.dir}, args...)...)
		return code, stderr
	}
	if code, says := resume("--agent", "nop"); code != 2 || !strings.Contains(says, "the agent was oracle and is nop") {
		t.Errorf("another agent: %d %s", code, says)
	}
	if code, says := resume("-k", "3"); code != 2 || !strings.Contains(says, "-k was 1 and is 3") {
		t.Errorf("more trials: %d %s", code, says)
	}
	write(t, filepath.Join(dir, "task-1", "instruction.md"), []byte("Something else.\n"))
	if code, says := resume(); code != 2 || !strings.Contains(says, "task-1 has changed since") {
		t.Errorf("a changed task: %d %s", code, says)
	}
	before := trialsOf(t, r.dir)
	if code, says := resume("--rerun-changed"); code != 0 {
		t.Errorf("a changed task, run anew: %d %s", code, says)
	}
	changed := 0
	for k, id := range trialsOf(t, r.dir) {
		if before[k] != id {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d trials were run anew", changed)
	}
	if code, says := resume("--resume", filepath.Join(r.dir, "trials")); code != 2 {
		t.Errorf("no run's folder: %d %s", code, says)
	}
}

func TestATaskThatNeedsMoreThanThereIsRunsAlone(t *testing.T) {
	t.Parallel()
	dir := several(t, 2)
	for i := range 2 {
		write(t, filepath.Join(dir, fmt.Sprintf("task-%d", i), "task.toml"), fmt.Appendf(nil, "[task]\nname = \"e/t%d\"\n[environment]\nmemory_mb = 900000\n", i))
	}
	r := seatrialRun(t, "-n", "2", dir)
	if r.code != 0 || r.record.Summary.Complete != 2 {
		t.Errorf("%d %+v\n%s", r.code, r.record.Summary, r.stderr)
	}
}
