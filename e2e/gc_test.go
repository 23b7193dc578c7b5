package e2e_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"

	"github.com/seatrial/seatrial/internal/leftover"
)

// foreign makes a container that is not ours, and removes it at the end.
func foreign(t *testing.T, name string, labels map[string]string) string {
	t.Helper()
	c, err := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: "busybox", Cmd: []string{"sleep", "600"}, Labels: labels},
		&container.HostConfig{NetworkMode: "none"}, nil, nil, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeContainer(t, c.ID) })
	return c.ID
}

func there(t *testing.T, id string) bool {
	t.Helper()
	_, err := shared.engine.ContainerInspect(t.Context(), id)
	return err == nil
}

func TestForeignContainersWithSimilarNamesLive(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, newTask(t, "task", "-- solution/solve.sh --\n#!/bin/sh\nsleep 3\ntouch /app/ok\n"))
	j.awaitPhase("agent", "")
	cs := containers(t, j.id)
	if len(cs) != 1 {
		t.Fatalf("containers %v", cs)
	}
	name := strings.TrimPrefix(cs[0].Names[0], "/")
	others := []string{
		foreign(t, name+"-more", nil), foreign(t, name[:len(name)-2], nil),
		foreign(t, "other-"+name, map[string]string{leftover.Label + "x": j.id, "run": j.id, "dev.seatrial.trialx": cs[0].Labels["dev.seatrial.trial"]}),
	}
	r := j.end()
	expect(t, r, outcome{score: 1})
	clean(t, r.id)
	_, _, _ = seatrial(t, nil, "gc")
	_, _, _ = seatrial(t, nil, "gc", "--run", r.id)
	for _, id := range others {
		if !there(t, id) {
			t.Errorf("the foreign container %s was removed", id)
		}
	}
}

// deadOwner is the owner label of a process of this machine that has ended: it is taken from a live run's container, with another start time.
func deadOwner(t *testing.T) string {
	t.Helper()
	j := begin(t, nil, newTask(t, "task", "-- solution/solve.sh --\n#!/bin/sh\nsleep 1\n"))
	var owner string
	until(t, time.Minute, "a container of the run", func() bool {
		for _, c := range containers(t, j.id) {
			owner = c.Labels["dev.seatrial.owner"]
		}
		return owner != ""
	})
	j.end()
	return owner
}

func TestCleaningUpTouchesOnlyWhatADeadRunLeft(t *testing.T) {
	t.Parallel()
	need(t)
	run := "e2e-dead-" + strings.ToLower(rand.Text()[:8])
	labels := map[string]string{leftover.Label: run, "dev.seatrial.trial": run + "-t", "dev.seatrial.owner": deadOwner(t)}
	live := begin(t, nil, newTask(t, "task", "-- solution/solve.sh --\n#!/bin/sh\nsleep 6\ntouch /app/ok\n"))
	live.awaitPhase("agent", "")
	unrelated := foreign(t, run+"-unrelated", nil)
	vol, err := shared.engine.VolumeCreate(t.Context(), volume.CreateOptions{Name: run + "-unrelated"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.engine.VolumeRemove(context.WithoutCancel(t.Context()), vol.Name, true) })
	// Any start of the program sweeps, and other tests start it, so the dead run's objects may be gone at any time: they are made again until the
	// dry run has seen them.
	until(t, time.Minute, "a dry run that lists what the dead run left", func() bool {
		leave(t, run, labels)
		code, out, _ := seatrial(t, nil, "gc", "--dry-run")
		return code == 0 && strings.Count(out, "would remove") >= 3 && strings.Contains(out, run) && !strings.Contains(out, live.id) && !strings.Contains(out, "unrelated")
	})
	leave(t, run, labels)
	if code, out, errs := seatrial(t, nil, "gc"); code != 0 || strings.Contains(out, live.id) {
		t.Errorf("gc: exit code %d\n%s%s", code, out, errs)
	}
	cleanSoon(t, run, 10*time.Second)
	if !there(t, unrelated) {
		t.Error("an unrelated container was removed")
	}
	if _, err := shared.engine.VolumeInspect(t.Context(), vol.Name); err != nil {
		t.Errorf("an unrelated volume: %v", err)
	}
	r := live.end()
	expect(t, r, outcome{score: 1})
	clean(t, r.id)
}

// leave makes a container, a network and a volume with the labels of a run, unless they are there.
func leave(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	_, cerr := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: "busybox", Labels: labels}, &container.HostConfig{NetworkMode: "none"}, nil, nil, name)
	_, nerr := shared.engine.NetworkCreate(t.Context(), name, network.CreateOptions{Driver: "bridge", Labels: labels})
	_, verr := shared.engine.VolumeCreate(t.Context(), volume.CreateOptions{Name: name, Labels: labels})
	if err := errors.Join(cerr, nerr, verr); err != nil {
		t.Log(err) // most likely it is there already
	}
}

func TestTwoRunsAtOnceDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	long := begin(t, nil, newTask(t, "same", web+"-- solution/solve.sh --\n#!/bin/sh\nsleep 6\nwget -q -O /app/ok http://web/x\n"))
	long.awaitPhase("agent", "")
	short := seatrialRun(t, newTask(t, "same", web))
	expect(t, short, outcome{score: 1})
	killed := begin(t, nil, newTask(t, "same", fmt.Sprintf(hanging()["agent"], 401)))
	killed.awaitPhase("agent", "")
	killed.signal(syscall.SIGKILL)
	if code, out, errs := seatrial(t, nil, "gc"); code != 0 || strings.Contains(out, long.id) {
		t.Errorf("gc: exit code %d\n%s%s", code, out, errs)
	}
	cleanSoon(t, killed.end().id, 5*time.Second)
	r := long.end()
	expect(t, r, outcome{score: 1})
	clean(t, r.id)
}

// attach joins a foreign container to the network of a stack whose agent works, and returns the network and how to leave it.
func attach(t *testing.T, j *job) (id string, detach func()) {
	t.Helper()
	j.awaitPhase("agent", "")
	for _, c := range containers(t, j.id) {
		for _, n := range c.NetworkSettings.Networks {
			id = n.NetworkID
		}
	}
	c, err := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: "busybox", Cmd: []string{"sleep", "600"}}, nil,
		&network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{id: {}}}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeContainer(t, c.ID) })
	if err := shared.engine.ContainerStart(t.Context(), c.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	return id, func() {
		if !there(t, c.ID) {
			t.Error("the foreign container was removed")
		}
		removeContainer(t, c.ID)
	}
}

const slowStack = web + "-- solution/solve.sh --\n#!/bin/sh\nsleep 3\ntouch /app/ok\n"

func TestANetworkThatAForeignContainerHoldsForAWhileIsRemoved(t *testing.T) {
	t.Parallel()
	j := begin(t, nil, newTask(t, "task", slowStack))
	_, detach := attach(t, j)
	j.awaitPhase("teardown", "")
	go func() {
		<-time.After(3 * time.Second)
		detach()
	}()
	r := j.end()
	expect(t, r, outcome{score: 1})
	clean(t, r.id)
}

func TestANetworkThatAForeignContainerHoldsIsTold(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for the limit of the teardown")
	}
	j := begin(t, nil, newTask(t, "task", slowStack))
	_, detach := attach(t, j)
	j.free() // it only waits from here on
	r := j.end()
	c := r.only(t)
	if r.code != 5 || c.Score == nil || *c.Score != 1 || len(r.record.Leaks) != 1 || !strings.Contains(r.record.Leaks[0], "network") || !c.warned("teardown_leak") {
		t.Errorf("exit code %d, score %v, leaks %v", r.code, c.Score, r.record.Leaks)
	}
	if l := left(t, r.id); len(l) != 1 {
		t.Errorf("left: %v", l)
	}
	detach()
	cleanSoon(t, r.id, 20*time.Second)
}

func TestAnOrdinaryUserCanRunAndRemove(t *testing.T) {
	t.Parallel()
	need(t)
	socket := strings.TrimPrefix(shared.engine.DaemonHost(), "unix://")
	st, err := os.Stat(socket)
	if err != nil || os.Geteuid() != 0 || st.Mode().Perm()&0o060 != 0o060 {
		t.Skip("it takes root, and a socket that a group may use")
	}
	gid := st.Sys().(*syscall.Stat_t).Gid
	dir, err := os.MkdirTemp("/tmp", "seatrial-e2e-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := errors.Join(os.Chown(dir, 12321, int(gid)), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	const binary = "seatrial"
	data, err := os.ReadFile(shared.binary)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, binary), data, 0o755) //nolint:gosec // it has to be run
	}
	if err != nil {
		t.Fatal(err)
	}
	task := makeTask(t, filepath.Join(dir, "task"), rewarding("umask 077\nmkdir shut\necho x >shut/x\nchmod 0 shut/x\nchmod 0500 shut\necho '{\"reward\": 1}' >reward.json\nchmod 4700 reward.json"))
	for _, id := range []string{"e2e-user-one", "e2e-user-two"} {
		code, out := asUser(t, dir, 12321, gid, "umask 077; ./seatrial run --runs-dir runs --run-id "+id+" "+filepath.Base(task)+" && cat runs/"+id+"/trials/*/verifier/shut/x && rm -r runs/"+id)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s", id, code, out)
		}
		clean(t, id)
	}
}
