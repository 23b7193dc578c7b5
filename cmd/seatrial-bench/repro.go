package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// repro measures what keeping an end state costs, and what grading one again does.
type repro struct {
	binary string
	trials int // that are captured and graded again
	rounds int // with and without capture
}

// working is what the agent does in trials that are graded again, besides changing a file: it takes its time, as agents do.
const working = 3 * time.Second

func (r *repro) measure(ctx context.Context) error {
	f, err := newFloor(ctx)
	if err != nil {
		return err
	}
	defer f.close(ctx)
	large := filepath.Join(f.dir, "large")
	if err := reproTask(large, "cd /app\ni=0\nwhile [ $i -lt 1000 ]; do head -c 104858 /dev/urandom >file-$i; i=$((i+1)); done\n"); err != nil {
		return err
	}
	small := filepath.Join(f.dir, "small")
	if err := reproTask(small, fmt.Sprintf("sleep %d\necho done >/app/done\n", int(working.Seconds()))); err != nil {
		return err
	}
	var without, with []float64
	for i := range r.rounds + 1 {
		for _, capture := range []bool{false, true} {
			args := []string{"run", large}
			if capture {
				args = append(args, "--capture")
			}
			took, err := r.timed(ctx, f.dir, fmt.Sprintf("large-%d-%t", i, capture), args...)
			if err != nil {
				return err
			}
			switch {
			case i == 0: // the image is built
			case capture:
				with = append(with, took)
			default:
				without = append(without, took)
			}
		}
	}
	trials, err := r.timed(ctx, f.dir, "captured", "run", small, "--capture", "-k", strconv.Itoa(r.trials))
	if err != nil {
		return err
	}
	var again float64
	for i := range r.trials {
		took, err := r.timed(ctx, f.dir, fmt.Sprintf("again-%d", i), "regrade", filepath.Join(f.dir, "captured", "trials", fmt.Sprintf("small-%d", i+1)))
		if err != nil {
			return err
		}
		again += took
	}
	copies, err := filepath.Glob(filepath.Join(f.dir, "captured", "tasks", "*", "*"))
	if err != nil {
		return fmt.Errorf("copies of the task: %w", err)
	}
	a, b := median(without), median(with)
	fmt.Printf("engine            %s\n", f.version)
	fmt.Printf("100 MB            %.2f s without and %.2f s with --capture (an agent that writes 1,000 files of random bytes; process start to exit; medians of %d)\n", a, b, r.rounds)
	fmt.Printf("regrade           %.2f s each, %.2f s a trial (%d trials whose agent works for %s)\n", again/float64(r.trials), trials/float64(r.trials), r.trials, working)
	fmt.Printf("capture_ratio=%.2f regrade_ratio=%.2f task_copies=%d\n", b/a, again/trials, len(copies))
	return nil
}

// timed is how long a command of the program takes, in seconds.
func (r *repro) timed(ctx context.Context, dir, id string, args ...string) (float64, error) {
	started := time.Now()
	cmd := exec.CommandContext(ctx, r.binary, append(args, "--runs-dir", dir, "--run-id", id)...) //nolint:gosec // the program under measurement
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", args[0], err, out)
	}
	return time.Since(started).Seconds(), nil
}

// reproTask writes a task that an agent has done when it wrote something to /app.
func reproTask(dir, solution string) error {
	for name, text := range map[string]string{
		"task.toml":              "schema_version = \"1.4\"\n[agent]\ntimeout_sec = 120.0\n[verifier]\ntimeout_sec = 60.0\n",
		"instruction.md":         "Write something to /app.\n",
		"environment/Dockerfile": "FROM busybox\nWORKDIR /app\n",
		"solution/solve.sh":      "#!/bin/sh\n" + solution,
		"tests/test.sh":          "#!/bin/sh\nif [ -n \"$(ls /app)\" ]; then r=1; else r=0; fi\necho \"{\\\"reward\\\": $r}\" >/logs/verifier/reward.json\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("a task to measure: %w", err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil { //nolint:gosec // scripts among them
			return fmt.Errorf("a task to measure: %w", err)
		}
	}
	return nil
}
