package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
)

func TestOnlyTheStackOfAFailedTrialIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makeTask(t, dir+"/good", "")
	makeTask(t, dir+"/bad", web+"-- solution/solve.sh --\n#!/bin/sh\necho mine >/app/evidence\n(while :; do date >>/app/clock; usleep 100000; done) &\n")
	j := begin(t, nil, "--keep", "failed", dir)
	t.Cleanup(func() { _, _, _ = seatrial(t, nil, "gc", "--run", j.id) })
	r := j.end()
	if r.code != 0 || len(r.record.Leaks) > 0 {
		t.Errorf("exit code %d, leaks %v\n%s", r.code, r.record.Leaks, r.stderr)
	}
	kept := containers(t, r.id)
	if len(kept) != 2 {
		t.Fatalf("kept %d containers, want the two of the failed trial: %v", len(kept), left(t, r.id))
	}
	trial := kept[0].Labels["dev.seatrial.trial"]
	for _, c := range kept {
		if c.State != "paused" || !strings.HasPrefix(c.Labels["dev.seatrial.trial"], "bad-") {
			t.Errorf("container %v is %s", c.Names, c.State)
		}
		in, err := shared.engine.ContainerInspect(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		bounded(t, in)
	}
	if p := processes(t, r.id); len(p) > 0 {
		t.Errorf("processes of the run: %v", p)
	}
	for _, want := range []string{"seatrial enter " + r.dir, "gc --trial " + trial} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("the console does not say %q:\n%s", want, r.stderr)
		}
	}
	if code, out, errs := seatrial(t, nil, "gc"); code != 0 || strings.Contains(out, trial) || len(containers(t, r.id)) != 2 {
		t.Errorf("gc: exit code %d\n%s%s", code, out, errs)
	}
	if code, out, errs := seatrial(t, nil, "gc", "--trial", trial); code != 0 || !strings.Contains(out, "removed container") {
		t.Errorf("gc --trial: exit code %d\n%s%s", code, out, errs)
	}
	clean(t, r.id)
}

// bounded sees that a container cannot take the whole machine.
func bounded(t *testing.T, in container.InspectResponse) {
	t.Helper()
	log := in.HostConfig.LogConfig
	if log.Config["max-size"] == "" || log.Config["max-file"] == "" {
		t.Errorf("%s: log %+v", in.Name, log)
	}
	if p := in.HostConfig.PidsLimit; p == nil || *p <= 0 {
		t.Errorf("%s: no limit of processes", in.Name)
	}
	if in.HostConfig.Privileged || len(in.HostConfig.PortBindings) > 0 || slices.ContainsFunc(in.HostConfig.Binds, func(b string) bool { return strings.HasPrefix(b, "/") }) {
		t.Errorf("%s: %+v", in.Name, in.HostConfig)
	}
}

func TestEveryStackIsKeptOnDemand(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, "--keep", "always", demo(t, "hello"))
	t.Cleanup(func() { _, _, _ = seatrial(t, nil, "gc", "--run", j.id) })
	r := j.end()
	kept := containers(t, r.id)
	if len(kept) != 1 || r.code != 0 || !r.trial(t).Kept {
		t.Fatalf("exit code %d, kept %v", r.code, left(t, r.id))
	}
	if code, out, _ := seatrial(t, nil, "gc", "--run", r.id, "--dry-run"); code != 0 || !strings.Contains(out, "would remove container") || len(containers(t, r.id)) != 1 {
		t.Errorf("gc --dry-run: exit code %d\n%s", code, out)
	}
	if code, out, _ := seatrial(t, nil, "gc", "--run", r.id); code != 0 {
		t.Errorf("gc --run: exit code %d\n%s", code, out)
	}
	clean(t, r.id)
}
