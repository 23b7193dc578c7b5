package chaos_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
)

const labelRun = "dev.seatrial.run"

func labelled(id string) filters.Args {
	return filters.NewArgs(filters.Arg("label", labelRun+"="+id))
}

// left lists what bears a run's label: containers in all states, networks, volumes.
func left(t *testing.T, id string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	f := labelled(id)
	var out []string
	cs, err := shared.engine.ContainerList(ctx, container.ListOptions{All: true, Filters: f})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cs {
		out = append(out, "container "+strings.Join(c.Names, ",")+" ("+c.State+")")
	}
	ns, err := shared.engine.NetworkList(ctx, network.ListOptions{Filters: f})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range ns {
		out = append(out, "network "+n.Name)
	}
	vs, err := shared.engine.VolumeList(ctx, volume.ListOptions{Filters: f})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vs.Volumes {
		out = append(out, "volume "+v.Name)
	}
	return out
}

// gone sees that nothing of a run stays on the engine.
func gone(t *testing.T, id string, limit time.Duration) bool {
	t.Helper()
	var last []string
	ok := until(t, limit, "nothing of run "+id+" is left", func() bool {
		last = left(t, id)
		return len(last) == 0
	})
	if !ok {
		t.Logf("left: %v", last)
	}
	return ok
}

// sweep removes a run's objects as a person would.
func sweep(t *testing.T, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, shared.binary, "gc", "--run", id).CombinedOutput(); err != nil {
		t.Errorf("seatrial gc --run %s: %v\n%s", id, err, out)
	}
}
