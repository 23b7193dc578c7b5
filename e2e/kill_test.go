package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hanging are tasks that stay in one phase for long.
func hanging() map[string]string {
	return map[string]string{
		"build":    "-- environment/Dockerfile --\nFROM busybox\nRUN sleep 6543.%d\n",
		"start":    "-- environment/docker-compose.yaml --\nservices:\n  main: {}\n  db: {image: busybox, command: [sleep, '6543.%d'], healthcheck: {test: 'exit 1', start_period: 100s}}\n",
		"agent":    "-- solution/solve.sh --\n#!/bin/sh\ntrap '' TERM INT\nsetsid sleep 6543.%d &\nwhile :; do sleep 1; done\n",
		"verifier": "-- tests/test.sh --\n#!/bin/sh\ntrap '' TERM INT\necho '{\"reward\": 1}' >/logs/verifier/reward.json\nsleep 6543.%d\n",
	}
}

// recorded is a phase's name in a record.
func recorded(phase string) string {
	if phase == "build" || phase == "start" {
		return "setup"
	}
	return phase
}

// awaitPhase waits until a run's trial is in a phase and, with a mark, until "sleep MARK" runs, so that the phase is under way.
func (j *job) awaitPhase(phase, mark string) {
	j.t.Helper()
	until(j.t, time.Minute, "phase "+phase+" of run "+j.id, func() bool {
		if !j.running() {
			j.t.Fatalf("run %s ended before phase %s\n%s", j.id, phase, j.err.String())
		}
		return j.in(phase) && (mark == "" || j.shows(mark))
	})
}

// shows says whether the command of a phase runs, as far as this machine can see it.
func (j *job) shows(mark string) bool {
	return !strings.HasPrefix(shared.engine.DaemonHost(), "unix://") || len(processes(j.t, "sleep "+mark)) > 0
}

// in says whether a phase is the last that began, by the run's own events.
func (j *job) in(phase string) bool {
	f, err := os.Open(filepath.Join(j.dir, "events.jsonl"))
	if err != nil {
		return false
	}
	defer f.Close()
	last := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e struct{ Kind, Phase string }
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Kind == "phase_started" {
			last = e.Phase
		}
	}
	return last == phase
}

func TestSignals(t *testing.T) {
	t.Parallel()
	n := 100
	for _, sig := range []struct {
		name  string
		send  []syscall.Signal
		code  int
		cause string
	}{
		{"an interrupt", []syscall.Signal{syscall.SIGINT}, 130, "SIGINT"},
		{"three interrupts", []syscall.Signal{syscall.SIGINT, syscall.SIGINT, syscall.SIGINT}, 130, "SIGINT"},
		{"a request to end", []syscall.Signal{syscall.SIGTERM}, 143, "SIGTERM"},
	} {
		for phase, task := range hanging() {
			n++
			mark := fmt.Sprintf("6543.%d", n)
			dir := newTask(t, "task", fmt.Sprintf(task, n))
			t.Run(sig.name+" in phase "+phase+" ends the run and leaves nothing", func(t *testing.T) {
				t.Parallel()
				j := begin(t, nil, dir)
				j.awaitPhase(phase, mark)
				sent := time.Now()
				for i, s := range sig.send {
					if i > 0 {
						until(t, 5*time.Second, "an answer to the signal", func() bool { return strings.Count(j.err.String(), "seatrial:") >= i })
						if !j.running() {
							break
						}
					}
					_ = j.cmd.Process.Signal(s) // it may have ended meanwhile
				}
				until(t, time.Second, "the first signal is answered", func() bool { return strings.Contains(j.err.String(), sig.cause) })
				r := j.end()
				if took := time.Since(sent); took > 15*time.Second {
					t.Errorf("it took %s to end", took)
				}
				if r.code != sig.code {
					t.Errorf("exit code %d, want %d", r.code, sig.code)
				}
				c := r.only(t)
				if r.record.Status != "interrupted" || c.Error == nil || c.Error.Code != "interrupted" || c.Error.Phase != recorded(phase) || c.Score != nil {
					t.Errorf("run %s, case %+v", r.record.Status, c.Error)
				}
				clean(t, r.id)
				if p := processes(t, "sleep "+mark); len(p) > 0 {
					t.Errorf("still running: %v", p)
				}
				if t.Failed() {
					t.Log(r.stderr)
				}
			})
		}
	}
}

func TestKillsThatCannotBeCaught(t *testing.T) {
	t.Parallel()
	n := 200
	for phase, task := range hanging() {
		n++
		mark := fmt.Sprintf("6543.%d", n)
		dir := newTask(t, "task", fmt.Sprintf(task, n))
		t.Run("a kill in phase "+phase+" leaves nothing but a valid record", func(t *testing.T) {
			t.Parallel()
			j := begin(t, nil, dir)
			j.awaitPhase(phase, mark)
			j.signal(syscall.SIGKILL)
			r := j.end()
			cleanSoon(t, r.id, 5*time.Second)
			until(t, 5*time.Second, "the processes of phase "+phase+" end", func() bool { return len(processes(t, "sleep "+mark)) == 0 })
			if r.record.Status != "running" || len(r.record.Cases) != 0 || r.record.Summary.Missing != 1 {
				t.Errorf("record %+v", r.record)
			}
			until(t, 10*time.Second, "the guard of the run ends", func() bool { return len(processes(t, r.id)) == 0 })
			clean(t, r.id)
		})
	}
}

func TestTrialsThatWereDoneBeforeAKillAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makeTask(t, dir+"/a", "")
	makeTask(t, dir+"/b", fmt.Sprintf(hanging()["agent"], 301))
	j := begin(t, nil, dir)
	until(t, time.Minute, "the second trial runs", func() bool { return j.shows("6543.301") && strings.Contains(j.err.String(), "score 1") })
	j.signal(syscall.SIGKILL)
	r := j.end()
	c := r.only(t)
	if c.ID != "a" || c.Score == nil || *c.Score != 1 || r.record.Status != "running" || r.record.Summary.Missing != 1 {
		t.Errorf("case %+v of a run that is %s", c, r.record.Status)
	}
	var done trialRecord
	readJSON(t, filepath.Join(r.dir, c.Artifacts.Trial, "trial.json"), &done)
	if done.Case.Score == nil {
		t.Errorf("trial.json %+v", done.Case)
	}
	cleanSoon(t, r.id, 5*time.Second)
}

func TestTheNextStartSweepsWhatAKilledRunAndItsKilledGuardLeft(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, newTask(t, "task", fmt.Sprintf(hanging()["agent"], 302)))
	j.awaitPhase("agent", "6543.302")
	guards := processes(t, "guard "+j.id)
	if len(guards) != 1 {
		t.Fatalf("want one guard, have %v", guards)
	}
	pid, err := strconv.Atoi(strings.SplitN(guards[0], ":", 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	j.signal(syscall.SIGKILL)
	killed := j.end()
	next := seatrialRun(t, demo(t, "hello"))
	if next.code != 0 {
		t.Errorf("the next run: exit code %d\n%s", next.code, next.stderr)
	}
	clean(t, killed.id)
}

func TestAContainerThatIsRemovedFromOutsideEndsItsTrial(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, newTask(t, "task", fmt.Sprintf(hanging()["agent"], 303)))
	j.awaitPhase("agent", "6543.303")
	for _, c := range containers(t, j.id) {
		removeContainer(t, c.ID)
	}
	r := j.end()
	expect(t, r, outcome{code: "sandbox_lost", phase: "agent"})
	clean(t, r.id)
}

func TestAnInterruptOfTheWholeTerminalReachesNoGuard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makeTask(t, dir+"/a", "")
	makeTask(t, dir+"/b", fmt.Sprintf(hanging()["agent"], 304))
	makeTask(t, dir+"/c", "")
	j := begin(t, nil, dir)
	until(t, time.Minute, "the second trial runs", func() bool { return j.shows("6543.304") && strings.Contains(j.err.String(), "score 1") })
	// A key on a terminal sends the signal to a whole process group; a run is started in one of its own.
	if err := syscall.Kill(-j.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	r := j.end()
	if s := r.record.Summary; r.code != 130 || r.record.Status != "interrupted" || s.Scored != 1 || s.Incomplete != 1 || s.Missing != 1 {
		t.Errorf("exit code %d, run %s, summary %+v", r.code, r.record.Status, r.record.Summary)
	}
	clean(t, r.id)
}

func TestAClosedTerminalEndsARun(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, newTask(t, "task", fmt.Sprintf(hanging()["agent"], 305)))
	j.awaitPhase("agent", "6543.305")
	j.signal(syscall.SIGHUP)
	r := j.end()
	if c := r.only(t); r.code != 130 || c.Error == nil || c.Error.Code != "interrupted" {
		t.Errorf("exit code %d, case %+v", r.code, c.Error)
	}
	clean(t, r.id)
}
