package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seatrial/seatrial/orchestrator"
	"github.com/seatrial/seatrial/sidecar"
)

func TestRunJSONIsValidAfterEachTrial(t *testing.T) {
	dir := tasks(t, 4)
	if err := os.WriteFile(filepath.Join(dir, "c", "task.toml"), []byte("agnt = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	jobs, err := orchestrator.Plans(t.Context(), []string{dir}, options())
	if err != nil {
		t.Fatal(err)
	}
	s, events := begin(t, options(), len(jobs))
	if first := readRun(t, s.Path()); first.Status != "running" || first.Summary.Missing != 4 || first.FinishedAt != nil {
		t.Errorf("the record before the first trial: %+v", first)
	}
	done := 0
	r := s.Runner(newEngine(scene{tests: reward(`{"reward": 0.5}`)}))
	s.Do(t.Context(), r, jobs, func(*orchestrator.RunRecord) {
		done++
		rec := readRun(t, s.Path())
		if len(rec.Cases) != done || rec.Status != "running" || rec.Summary.Missing != 4-done {
			t.Errorf("after %d trials: %d cases, %s, %d missing", done, len(rec.Cases), rec.Status, rec.Summary.Missing)
		}
	})
	s.Finish(t.Context())
	rec := readRun(t, s.Path())
	if rec.Status != "finished" || rec.FinishedAt == nil || rec.FinishedAt.Before(rec.StartedAt) {
		t.Errorf("at the end: %s from %v to %v", rec.Status, rec.StartedAt, rec.FinishedAt)
	}
	mean := 0.5
	want := orchestrator.Summary{Planned: 4, Total: 4, Complete: 3, Scored: 3, Incomplete: 1, MeanScore: &mean, ByError: map[string]int{"setup_failed": 1}}
	if diff := cmp.Diff(want, rec.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	var ids []string
	for _, c := range rec.Cases {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, ids); diff != "" {
		t.Errorf("the cases' order (-want +got):\n%s", diff)
	}
	broken := rec.Cases[2].Error
	if broken == nil || broken.Step != "plan" || !strings.Contains(broken.Message, "agnt") {
		t.Errorf("the broken task's error is %+v", broken)
	}
	if n := finished(*events); n != 4 {
		t.Errorf("%d trials were told of as finished", n)
	}
	if code := orchestrator.ExitCode(t.Context(), &rec, nil); code != orchestrator.ExitIncomplete {
		t.Errorf("exit code %d", code)
	}
}

func TestAnInterruptKeepsWhatIsDone(t *testing.T) {
	jobs, err := orchestrator.Plans(t.Context(), []string{tasks(t, 4)}, options())
	if err != nil {
		t.Fatal(err)
	}
	s, _ := begin(t, options(), len(jobs))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	n := 0
	agent := acts(calls(func() {
		if n++; n == 2 {
			cancel(&orchestrator.InterruptedError{Signal: "SIGINT"})
		}
	}), takes(0))
	s.Do(ctx, s.Runner(newEngine(scene{agent: agent, tests: reward(`{"reward": 1}`)})), jobs, func(*orchestrator.RunRecord) {})
	s.Finish(ctx)
	rec := readRun(t, s.Path())
	if rec.Status != "interrupted" || rec.Summary.Scored != 1 || rec.Summary.ByError["interrupted"] != 1 || rec.Summary.Missing != 2 {
		t.Errorf("%s: %+v", rec.Status, rec.Summary)
	}
	if code := orchestrator.ExitCode(ctx, &rec, nil); code != orchestrator.ExitInt {
		t.Errorf("exit code %d", code)
	}
}

func TestATrialWithoutAFolderIsToldLikeAnyOther(t *testing.T) {
	jobs, err := orchestrator.Plans(t.Context(), []string{tasks(t, 2)}, options())
	if err != nil {
		t.Fatal(err)
	}
	s, events := begin(t, options(), len(jobs))
	if err := os.WriteFile(filepath.Join(s.Path(), "trials", "a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	eng := newEngine(scene{tests: reward(`{"reward": 1}`)})
	s.Do(t.Context(), s.Runner(eng), jobs, func(*orchestrator.RunRecord) {})
	s.Finish(t.Context())
	rec := readRun(t, s.Path())
	if rec.Summary.Scored != 1 || rec.Summary.ByError["setup_failed"] != 1 || len(eng.all) != 1 {
		t.Errorf("%+v, %d stacks", rec.Summary, len(eng.all))
	}
	if n := finished(*events); n != 2 {
		t.Errorf("%d trials were told of as finished", n)
	}
}

func TestAReaderNeverSeesHalfARecord(t *testing.T) {
	s, _ := begin(t, options(), 1)
	p := planOf(t, "plain")
	r := s.Runner(newEngine(scene{agent: prints(strings.Repeat("x", 1000)), tests: reward(`{"reward": 1}`)}))
	jobs := make([]orchestrator.Job, 30)
	for i := range jobs {
		one := *p
		one.Folder, one.CaseID = fmt.Sprintf("plain-%d", i), fmt.Sprintf("case-%d", i)
		jobs[i] = orchestrator.Job{Dir: p.Task.Dir, Plan: &one}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	reads := 0
	wg.Go(func() {
		for {
			data, err := os.ReadFile(filepath.Join(s.Path(), "run.json"))
			if err != nil || !json.Valid(data) || data[len(data)-1] != '\n' {
				t.Errorf("a reader saw %d bytes, %v", len(data), err)
				return
			}
			reads++
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	s.Do(t.Context(), r, jobs, func(*orchestrator.RunRecord) {})
	s.Finish(t.Context())
	close(stop)
	wg.Wait()
	if reads < 3 {
		t.Errorf("only %d reads", reads)
	}
	left, err := filepath.Glob(filepath.Join(s.Path(), ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files are left: %q %v", left, err)
	}
}

func TestEventsAreOneJSONALine(t *testing.T) {
	h := newHouse(t, scene{tests: reward(`{"reward": 1}`)})
	h.play(t.Context(), t, planOf(t, "plain"))
	data, err := os.ReadFile(filepath.Join(h.Folder.Path, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != len(h.events) {
		t.Errorf("%d lines for %d events", len(lines), len(h.events))
	}
	for _, l := range lines {
		decode[orchestrator.Event](t, []byte(l))
	}
	h.Folder.Close()
	h.Folder.Append(orchestrator.Event{Kind: orchestrator.OnNote}) // late, and no panic
}

func TestARunThatCannotBePlannedRunsNothing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x", "y"} {
		copyTask(t, "plain", filepath.Join(dir, name), "[agent]", "[agnt]")
	}
	runs := filepath.Join(t.TempDir(), "runs")
	q := &orchestrator.Request{Paths: []string{dir}, Options: *options(), RunsDir: runs, Host: sidecar.Host{Address: "unix:///nonexistent", Source: "test"}}
	rec, folder, err := orchestrator.Run(t.Context(), q)
	if err == nil || rec != nil || folder != nil {
		t.Fatalf("record %v, folder %v, error %v", rec, folder, err)
	}
	for _, name := range []string{"x", "y"} {
		if !strings.Contains(err.Error(), filepath.Join(dir, name, "task.toml")) {
			t.Errorf("the error leaves out task %s: %v", name, err)
		}
	}
	if _, serr := os.Stat(runs); !errors.Is(serr, os.ErrNotExist) {
		t.Errorf("a run's folder was made: %v", serr)
	}
	if code := orchestrator.ExitCodeOf(t.Context(), err); code != orchestrator.ExitUsage {
		t.Errorf("exit code %d", code)
	}
}
