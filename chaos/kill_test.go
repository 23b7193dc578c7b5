package chaos_test

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"

	"github.com/seatrial/seatrial/internal/leftover"
)

// swept is how long a guard may take to remove what a killed run left. On a machine that does nothing else it is under five seconds; several runs, and
// other tests, go on at the same time here.
const swept = 20 * time.Second

// blow is what is done to a run.
type blow struct {
	name string
	// tool and guard are the signals that they get, one after another, 300 ms apart.
	tool  []syscall.Signal
	guard []syscall.Signal
	codes []int // the run's exit code; -1 = it was killed
}

func blows() []blow {
	return []blow{
		{"interrupted", []syscall.Signal{syscall.SIGINT}, nil, []int{130, 0}},
		{"interrupted three times", []syscall.Signal{syscall.SIGINT, syscall.SIGINT, syscall.SIGINT}, nil, []int{130, 0}},
		{"asked to end", []syscall.Signal{syscall.SIGTERM}, nil, []int{143, 0}},
		{"killed", []syscall.Signal{syscall.SIGKILL}, nil, []int{-1, 0}},
		{"killed on its second signal", []syscall.Signal{syscall.SIGINT, syscall.SIGKILL}, nil, []int{-1, 130, 0}},
		{"left without its guard", nil, []syscall.Signal{syscall.SIGKILL}, []int{0}},
		{"killed with its guard", []syscall.Signal{syscall.SIGKILL}, []syscall.Signal{syscall.SIGKILL}, []int{-1, 0}},
	}
}

// usual is how long each task takes; blows fall within it and a little beyond.
var usual = map[string]time.Duration{"lone": 900 * time.Millisecond, "stack": 2500 * time.Millisecond, "stubborn": 5 * time.Second, "slow": 4500 * time.Millisecond}

func TestChaosOfKills(t *testing.T) {
	need(t)
	t.Parallel()
	n := newNeighbour(t)
	strangers := strangers(t)
	var longest atomic.Int64
	t.Run("rounds", func(t *testing.T) {
		for i := range *rounds {
			r := rand.New(rand.NewPCG(*seed, uint64(i)))
			names := []string{"lone", "stack", "stubborn", "slow"}
			name, b := names[r.IntN(len(names))], blows()[i%len(blows())]
			at := time.Duration(r.Int64N(int64(usual[name] + 300*time.Millisecond)))
			t.Run(fmt.Sprintf("round %d: %s %s after %s", i, name, b.name, at.Round(time.Millisecond)), func(t *testing.T) {
				t.Parallel()
				defer slot()()
				took := strike(t, name, b, at)
				for old := longest.Load(); int64(took) > old && !longest.CompareAndSwap(old, int64(took)); old = longest.Load() {
				}
			})
		}
	})
	t.Logf("the longest wait for a guard: %s", time.Duration(longest.Load()).Round(10*time.Millisecond))
	n.finish(t)
	for _, id := range strangers {
		if st, err := shared.engine.ContainerInspect(t.Context(), id); err != nil || !st.State.Running {
			t.Errorf("a foreign container is gone, or has ended: %v", err)
		}
	}
}

// strike runs a task, does the blow and sees what is left. It returns how long the guard took.
func strike(t *testing.T, name string, b blow, at time.Duration) time.Duration {
	t.Helper()
	path := task(name)
	if name == "slow" {
		path = anew(t, name)
	}
	j := begin(t, nil, path)
	timer := time.NewTimer(at)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-j.exited:
	}
	if len(b.guard) > 0 {
		until(t, 5*time.Second, "the run has a guard", func() bool { return len(guards(j.id)) > 0 || ended(j) })
	}
	for _, pid := range guards(j.id) {
		for _, s := range b.guard {
			_ = syscall.Kill(pid, s)
		}
	}
	for i, s := range b.tool {
		if i > 0 {
			pauseFor(j, 300*time.Millisecond)
		}
		_ = j.cmd.Process.Signal(s) // it may have ended
	}
	j.end(t, ending)
	if _, err := os.Stat(j.dir); err != nil && j.code() == -1 {
		return 0 // the process was too young to know signals, and nothing had begun
	}
	if !slices.Contains(b.codes, j.code()) {
		t.Errorf("exit code %d, want one of %v\n%s", j.code(), b.codes, j.log.String())
	}
	j.truth(t)
	began := time.Now()
	switch {
	case j.code() != -1:
		if l := left(t, j.id); len(l) > 0 {
			t.Errorf("the run ended by itself with code %d and left %v\n%s", j.code(), l, j.log.String())
		}
	case len(b.guard) > 0:
		next := begin(t, nil, task("lone"))
		next.end(t, ending)
		if l := left(t, j.id); len(l) > 0 {
			t.Errorf("the next start left %v", l)
		}
	default:
		gone(t, j.id, swept)
	}
	var took time.Duration
	if j.code() == -1 && len(b.guard) == 0 {
		took = time.Since(began)
	}
	until(t, swept, "the guard ends", func() bool { return len(guards(j.id)) == 0 })
	return took
}

// truth sees that the records are valid and that no score is made up.
func (j *job) truth(t *testing.T) {
	t.Helper()
	r := j.record(t)
	if r == nil {
		return
	}
	for _, c := range r.Cases {
		if (c.Score != nil) != (c.Status == "complete") || c.Score != nil && *c.Score != 1 {
			t.Errorf("the case is %+v", c)
		}
		if c.Error != nil && c.Error.Code != "interrupted" {
			t.Errorf("%s in %s: %s", c.Error.Code, c.Error.Phase, c.Error.Message)
		}
	}
}

func ended(j *job) bool {
	select {
	case <-j.exited:
		return true
	default:
		return false
	}
}

func pauseFor(j *job, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-j.exited:
	}
}

// anew copies a task whose image nobody has built yet.
func anew(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(task(name))); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"solution/solve.sh", "tests/test.sh"} {
		if err := os.Chmod(filepath.Join(dir, script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "environment", "Dockerfile")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "ENV ONCE=%s\nRUN sleep 1.5\n", crand.Text()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// removeSlow removes the images that were built for one run each.
func removeSlow(ctx context.Context) {
	list, err := shared.engine.ImageList(ctx, image.ListOptions{})
	if err != nil {
		return
	}
	for _, i := range list {
		for _, tag := range i.RepoTags {
			if strings.HasPrefix(tag, "seatrial/chaos-slow:") || strings.HasPrefix(tag, "seatrial/chaos-case-") {
				_, _ = shared.engine.ImageRemove(ctx, tag, image.RemoveOptions{PruneChildren: true})
			}
		}
	}
}

// neighbour is a run that goes on beside all others.
type neighbour struct{ *job }

func newNeighbour(t *testing.T) neighbour {
	t.Helper()
	n := neighbour{begin(t, nil, task("lone"), "--agent-timeout", "20m", "--agent-cmd", "while ! [ -e /app/end ]; do sleep 0.2; done; echo ran >>/app/agent-ran")}
	until(t, 30*time.Second, "the neighbour's agent works", func() bool { return len(left(t, n.id)) > 0 })
	return n
}

// finish lets the neighbour's agent end, and sees that nobody has troubled it.
func (n neighbour) finish(t *testing.T) {
	t.Helper()
	if ended(n.job) {
		t.Fatalf("the neighbour has ended: %s", n.log.String())
	}
	list, err := shared.engine.ContainerList(t.Context(), container.ListOptions{Filters: leftover.Filter(n.id)})
	if err != nil || len(list) != 1 {
		t.Fatalf("the neighbour has %d containers (%v)", len(list), err)
	}
	ex, err := shared.engine.ContainerExecCreate(t.Context(), list[0].ID, container.ExecOptions{Cmd: []string{"touch", "/app/end"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := shared.engine.ContainerExecStart(t.Context(), ex.ID, container.ExecStartOptions{}); err != nil {
		t.Fatal(err)
	}
	n.end(t, ending)
	if r := n.record(t); r == nil || len(r.Cases) != 1 || r.Cases[0].Score == nil || *r.Cases[0].Score != 1 {
		t.Errorf("the neighbour's run is not what it would be alone:\n%s", n.log.String())
	}
	gone(t, n.id, swept)
}

// strangers starts containers that are not ours and look as if they were.
func strangers(t *testing.T) []string {
	t.Helper()
	var ids []string
	t.Cleanup(func() {
		for _, id := range ids {
			_ = shared.engine.ContainerRemove(context.WithoutCancel(t.Context()), id, container.RemoveOptions{Force: true})
		}
	})
	for name, labels := range map[string]map[string]string{
		"seatrial-lone": nil, "seatrial-lone-0000000-main": nil, "chaos-": {"dev.seatrial.runner": "x", "dev.seatrial": "run"},
	} {
		c, err := shared.engine.ContainerCreate(t.Context(), &container.Config{Image: "busybox", Cmd: []string{"sleep", "3600"}, Labels: labels}, &container.HostConfig{AutoRemove: true}, nil, nil,
			fmt.Sprintf("%s%d", name, time.Now().UnixNano()))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
		if err := shared.engine.ContainerStart(t.Context(), c.ID, container.StartOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}
