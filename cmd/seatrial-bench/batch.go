package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
)

// batch is a run of many trials that is measured against the bare calls of as many at the same concurrency.
type batch struct {
	binary                  string
	trials, tasks, parallel int
}

const batchRun = "bench-batch"

func (b *batch) measure(ctx context.Context) error {
	f, err := newFloor(ctx)
	if err != nil {
		return err
	}
	defer f.close(ctx)
	tasks, err := batchTasks(f.dir, b.tasks)
	if err != nil {
		return err
	}
	s := &subject{binary: b.binary, task: filepath.Join("testdata", "tasks", "hello"), dir: f.dir}
	if err := s.warm(ctx); err != nil {
		return err
	}
	f.image = s.image
	if out, err := b.command(ctx, f.dir, tasks, "warm", 1).CombinedOutput(); err != nil {
		return fmt.Errorf("building the images: %w: %s", err, out)
	}
	before, err := f.together(ctx, max(b.trials/5, b.parallel), b.parallel)
	if err != nil {
		return err
	}
	m, err := b.run(ctx, f.dir, tasks)
	if err != nil {
		return err
	}
	after, err := f.together(ctx, max(b.trials/5, b.parallel), b.parallel)
	if err != nil {
		return err
	}
	left, err := f.leftovers(ctx)
	if err != nil {
		return err
	}
	bare := 2 / (1/before + 1/after) // both had as many trials
	fmt.Printf("engine            %s\n", f.version)
	fmt.Printf("floor             %.2f trials/s  (bare engine calls, %d at a time, one in five with a sidecar and a network; %.2f before the batch and %.2f after it)\n", bare, b.parallel, before, after)
	fmt.Printf("seatrial run      %.2f trials/s  (%d trials of %d tasks at -n %d in %.0f s, process start to exit, images built before)\n", m.rate, m.trials, b.tasks, b.parallel, m.seconds)
	fmt.Printf("memory            %.0f MB after a fifth of the trials, %.0f MB in the last fifth (resident, the largest seen)\n", m.early, m.late)
	fmt.Printf("throughput_ratio=%.2f peak_mb=%.0f leftovers=%d\n", m.rate/bare, m.peak, left)
	return nil
}

func (b *batch) command(ctx context.Context, dir, tasks, id string, k int) *exec.Cmd {
	return exec.CommandContext(ctx, b.binary, "run", tasks, "--runs-dir", dir, "--run-id", id, "-n", strconv.Itoa(b.parallel), //nolint:gosec // the program under measurement
		"-k", strconv.Itoa(k), "--overcommit", "0")
}

// measured is what a batch came to.
type measured struct {
	rate, seconds     float64
	trials            int
	early, late, peak float64 // MB
}

// run does the batch, and watches its memory meanwhile.
func (b *batch) run(ctx context.Context, dir, tasks string) (*measured, error) {
	cmd := b.command(ctx, dir, tasks, batchRun, b.trials/b.tasks)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	m := &measured{}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			m.seconds = time.Since(started).Seconds()
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, errs.String())
			}
			return m, m.read(filepath.Join(dir, batchRun), b.trials/b.tasks*b.tasks)
		case <-tick.C:
			now := resident(cmd.Process.Pid)
			m.peak = max(m.peak, now)
			switch n := done(filepath.Join(dir, batchRun)); {
			case n <= b.trials/5:
				m.early = max(m.early, now)
			case n >= b.trials*4/5:
				m.late = max(m.late, now)
			}
		}
	}
}

// read holds the run's record to what was asked of it.
func (m *measured) read(dir string, trials int) error {
	raw, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	var run struct {
		Cases []struct {
			Score  *float64          `json:"score"`
			Trials []json.RawMessage `json:"trials"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(raw, &run); err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	for _, c := range run.Cases {
		m.trials += max(len(c.Trials), 1)
		if c.Score == nil || *c.Score != 1 {
			return errors.New("not every trial passed")
		}
	}
	if m.trials != trials {
		return fmt.Errorf("%d of %d trials are recorded", m.trials, trials)
	}
	m.rate = float64(m.trials) / m.seconds
	return nil
}

// done is how many trials have their record.
func done(dir string) int {
	list, _ := filepath.Glob(filepath.Join(dir, "trials", "*", "trial.json"))
	return len(list)
}

// leftovers counts what the engine still has of the batch.
func (f *floor) leftovers(ctx context.Context) (int, error) {
	of := filters.NewArgs(filters.Arg("label", "dev.seatrial.run="+batchRun))
	c, err := f.api.ContainerList(ctx, container.ListOptions{All: true, Filters: of})
	if err != nil {
		return 0, fmt.Errorf("containers: %w", err)
	}
	n, err := f.api.NetworkList(ctx, network.ListOptions{Filters: of})
	if err != nil {
		return 0, fmt.Errorf("networks: %w", err)
	}
	v, err := f.api.VolumeList(ctx, volume.ListOptions{Filters: of})
	if err != nil {
		return 0, fmt.Errorf("volumes: %w", err)
	}
	return len(c) + len(n) + len(v.Volumes), nil
}
