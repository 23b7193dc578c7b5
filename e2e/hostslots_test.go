package e2e_test

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunsShareTheHostsSlots(t *testing.T) {
	t.Parallel()
	env := []string{"XDG_CACHE_HOME=" + t.TempDir(), "SEATRIAL_HOST_SLOTS=1"} // slots of this test's own
	first := begin(t, env, newTask(t, "task", fmt.Sprintf(hanging()["agent"], 402)))
	first.awaitPhase("agent", "")
	name := "waiting-" + strings.ToLower(rand.Text()[:8])
	second := begin(t, env, newTask(t, name, "-- environment/Dockerfile --\nFROM busybox\nENV NAME="+name+"\nWORKDIR /app\n-- solution/solve.sh --\n#!/bin/sh\ntouch /app/ok\n"))
	until(t, runLimit, "the second run waits", func() bool {
		return strings.Contains(second.err.String(), "waiting for a slot of the host, which has 1")
	})
	if n := len(containers(t, second.id)); n > 0 {
		t.Errorf("the second run has %d containers while it waits", n)
	}
	// Its image has no container yet, and is kept all the same.
	if code, out, errs := seatrial(t, env, "gc", "--cache", "--dry-run"); code != 0 || strings.Contains(out, "seatrial/"+name) {
		t.Errorf("gc --cache: exit code %d\n%s%s", code, out, errs)
	}
	first.signal(syscall.SIGKILL)
	r := second.end()
	expect(t, r, outcome{score: 1})
	var rec struct {
		Case struct {
			Timing struct{ Queued, Total float64 }
		}
	}
	readJSON(t, filepath.Join(r.dir, filepath.FromSlash(r.only(t).Artifacts.Trial), "trial.json"), &rec)
	if rec.Case.Timing.Queued <= 0 {
		t.Errorf("the wait is not recorded: %+v", rec)
	}
	clean(t, r.id)
	if code, out, errs := seatrial(t, env, "gc", "--cache", "--dry-run"); code != 0 || !strings.Contains(out, "would remove image seatrial/"+name) {
		t.Errorf("gc --cache once it is over: exit code %d\n%s%s", code, out, errs)
	}
	cleanSoon(t, first.end().id, 5*time.Second)
}
