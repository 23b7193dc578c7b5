package chaos_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"

	"github.com/seatrial/seatrial/internal/faultproxy"
	"github.com/seatrial/seatrial/internal/leftover"
)

// TestTeardownInTheWayOfOthers has somebody else hold, or remove, what a teardown removes.
func TestTeardownInTheWayOfOthers(t *testing.T) {
	need(t)
	t.Parallel()
	t.Run("a foreign container that lets go of the network in time costs nothing", func(t *testing.T) {
		t.Parallel()
		defer slot()()
		j, id := invaded(t)
		until(t, ending, "the stack is being removed", func() bool { return len(ofStack(t, j)) == 0 || ended(j) })
		pauseFor(j, 2*time.Second)
		detach(t, j, id)
		j.end(t, ending)
		scored(t, j, 0)
		gone(t, j.id, time.Second)
		alive(t, id)
	})
	t.Run("a foreign container that keeps the network makes it a leak, and lives", func(t *testing.T) {
		t.Parallel()
		defer slot()()
		j, id := invaded(t)
		j.end(t, ending)
		r := scored(t, j, 5)
		if len(r.Leaks) != 1 || !strings.HasPrefix(r.Leaks[0], "network ") {
			t.Errorf("leaks: %v", r.Leaks)
		}
		alive(t, id)
		detach(t, j, id)
		gone(t, j.id, 25*time.Second) // the guard tries again for a while
	})
	t.Run("containers that somebody else removes are no failure", func(t *testing.T) {
		t.Parallel()
		defer slot()()
		p := proxy(t, faultproxy.Rule{Kind: faultproxy.ContainerRemove, Fault: faultproxy.Fault{What: faultproxy.Duplicated}},
			faultproxy.Rule{Kind: faultproxy.NetworkRemove, Fault: faultproxy.Fault{What: faultproxy.Duplicated}})
		j := begin(t, []string{"DOCKER_HOST=" + p.Address()}, task("stack"))
		j.end(t, ending)
		if r := scored(t, j, 0); len(r.Leaks) > 0 {
			t.Errorf("leaks: %v", r.Leaks)
		}
		gone(t, j.id, time.Second)
	})
	t.Run("a removal that is under way already is no failure", func(t *testing.T) {
		t.Parallel()
		defer slot()()
		p := proxy(t, faultproxy.Rule{Kind: faultproxy.ContainerRemove, Times: 2, Fault: faultproxy.Fault{What: faultproxy.Answered, Status: 409}})
		j := begin(t, []string{"DOCKER_HOST=" + p.Address()}, task("lone"))
		j.end(t, ending)
		scored(t, j, 0)
		gone(t, j.id, time.Second)
	})
	t.Run("an agent that was cut off stays so when nothing can be removed", func(t *testing.T) {
		t.Parallel()
		defer slot()()
		p := proxy(t, faultproxy.Rule{Kind: faultproxy.ContainerRemove, Fault: faultproxy.Fault{What: faultproxy.AnsweredAfter, Status: 500}},
			faultproxy.Rule{Kind: faultproxy.VolumeList, Fault: faultproxy.Fault{What: faultproxy.Hung}})
		j := begin(t, []string{"DOCKER_HOST=" + p.Address(), "SEATRIAL_CALL_LIMIT=" + callLimit.String()}, task("lone"), "--agent-cmd", "sleep 60", "--agent-timeout", "1s")
		j.end(t, ending)
		r := j.record(t)
		if r == nil || len(r.Cases) != 1 || r.Cases[0].Status != "complete" || r.Cases[0].Score == nil || *r.Cases[0].Score != 0 {
			t.Fatalf("the outcome is another: %s", j.log.String())
		}
		if j.code() != 5 || len(r.Leaks) == 0 {
			t.Errorf("exit code %d, leaks %v", j.code(), r.Leaks)
		}
		p.Rules()
		gone(t, j.id, 25*time.Second)
	})
}

// invaded starts a stack and puts a foreign container on its network.
func invaded(t *testing.T) (*job, string) {
	t.Helper()
	j := begin(t, nil, task("stack"), "--agent-cmd", "sleep 2; echo ran >>/app/agent-ran")
	c, err := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: "busybox", Cmd: []string{"sleep", "600"}}, &container.HostConfig{AutoRemove: true}, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = shared.engine.ContainerRemove(context.WithoutCancel(t.Context()), c.ID, container.RemoveOptions{Force: true})
	})
	if err := shared.engine.ContainerStart(t.Context(), c.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, 30*time.Second, "the foreign container is on the stack's network", func() bool {
		ns, err := shared.engine.NetworkList(t.Context(), network.ListOptions{Filters: leftover.Filter(j.id)})
		return err == nil && len(ns) == 1 && shared.engine.NetworkConnect(t.Context(), ns[0].ID, c.ID, nil) == nil
	})
	return j, c.ID
}

// ofStack lists the containers of a stack; before there are any it counts the run as one.
func ofStack(t *testing.T, j *job) []string {
	t.Helper()
	l := left(t, j.id)
	if len(l) == 0 {
		return []string{"not begun"}
	}
	return slices.DeleteFunc(l, func(s string) bool {
		return !strings.HasPrefix(s, "container ") && len(l) > 1 || strings.HasPrefix(s, "network ")
	})
}

func detach(t *testing.T, j *job, id string) {
	t.Helper()
	ns, err := shared.engine.NetworkList(t.Context(), network.ListOptions{Filters: leftover.Filter(j.id)})
	if err != nil || len(ns) != 1 {
		t.Fatalf("%d networks (%v)", len(ns), err)
	}
	if err := shared.engine.NetworkDisconnect(t.Context(), ns[0].ID, id, true); err != nil {
		t.Fatal(err)
	}
}

func alive(t *testing.T, id string) {
	t.Helper()
	if st, err := shared.engine.ContainerInspect(t.Context(), id); err != nil || !st.State.Running {
		t.Errorf("the foreign container is gone: %v", err)
	}
}

// scored sees that the trial came to its score, whatever its teardown did.
func scored(t *testing.T, j *job, code int) *record {
	t.Helper()
	r := j.record(t)
	if r == nil || len(r.Cases) != 1 || r.Cases[0].Score == nil || *r.Cases[0].Score != 1 {
		t.Fatalf("the trial does not come to its score: %s", j.log.String())
	}
	if j.code() != code {
		t.Errorf("exit code %d, want %d: %s", j.code(), code, j.log.String())
	}
	return r
}
