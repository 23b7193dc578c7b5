package e2e_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/seatrial/seatrial/internal/leftover"
)

// left lists what a run has on the engine.
func left(t *testing.T, id string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	out, err := leftover.Of(ctx, shared.engine, id)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// clean sees that nothing of a run is on the engine and that no process of it is alive.
func clean(t *testing.T, id string) {
	t.Helper()
	if l := left(t, id); len(l) > 0 {
		t.Errorf("run %s left on the engine: %v", id, l)
	}
	if p := processes(t, id); len(p) > 0 {
		t.Errorf("run %s left processes: %v", id, p)
	}
}

// cleanSoon gives the guard of a killed run a while to do that.
func cleanSoon(t *testing.T, id string, limit time.Duration) {
	t.Helper()
	until(t, limit, "everything of run "+id+" is gone", func() bool { return len(left(t, id)) == 0 })
}

// processes lists the command lines on this machine that hold a text. Containers of a local engine are seen as well.
func processes(t *testing.T, text string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if line := strings.ReplaceAll(string(data), "\x00", " "); err == nil && strings.Contains(line, text) {
			out = append(out, filepath.Base(filepath.Dir(f))+": "+line)
		}
	}
	return out
}

// containers lists the names of a run's containers.
func containers(t *testing.T, id string) []container.Summary {
	t.Helper()
	cs, err := shared.engine.ContainerList(t.Context(), container.ListOptions{All: true, Filters: leftover.Filter(id)})
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

// volumeName takes the name out of "volumes/NAME/_data".
func volumeName(path string) string {
	parts := strings.Split(strings.TrimSpace(path), "/")
	if len(parts) != 3 {
		return ""
	}
	return parts[1]
}

// removeContainer removes a container. An engine whose storage is busy with it, or which somebody else has asked for the same, is asked again.
func removeContainer(t *testing.T, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	for {
		err := shared.engine.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
		if err == nil || errdefs.IsNotFound(err) {
			return
		}
		select {
		case <-ctx.Done():
			t.Error(err)
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func removeExternal(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	if err := errors.Join(shared.engine.NetworkRemove(ctx, name), shared.engine.VolumeRemove(ctx, name, true)); err != nil {
		t.Error(err)
	}
}
