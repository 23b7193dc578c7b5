package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// subject is `seatrial run` of a task.
type subject struct {
	binary, task, dir string
	args              []string
	any               bool // whatever it scores
	image             string
	calls             int64
	peakMB            float64
}

// warm runs the task once, so that its image is built and the engine's caches are filled.
func (s *subject) warm(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, s.binary, "images", "base", "busybox").CombinedOutput(); err != nil {
		return fmt.Errorf("base image: %w: %s", err, out)
	}
	if _, err := s.once(ctx); err != nil {
		return err
	}
	s.peakMB = 0
	return nil
}

// once measures from process start to exit, and reads peak memory and engine calls.
func (s *subject) once(ctx context.Context) (float64, error) {
	cmd := exec.CommandContext(ctx, s.binary, append([]string{"run", s.task, "--runs-dir", s.dir, "--json"}, s.args...)...) //nolint:gosec // the program under measurement
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start: %w", err)
	}
	err := cmd.Wait()
	took := time.Since(started).Seconds()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, errs.String())
	}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.peakMB = max(s.peakMB, float64(ru.Maxrss)/1024) // in kilobytes on Linux, the largest of the process and its waited-for children (wait4(2))
	}
	return took, s.read(out.Bytes())
}

func (s *subject) read(record []byte) error {
	var run struct {
		RunID       string `json:"run_id"`
		Environment struct {
			Images map[string]string `json:"images"`
		} `json:"environment"`
		Cases []struct {
			Score     *float64 `json:"score"`
			Artifacts struct {
				Trial string `json:"trial"`
			} `json:"artifacts"`
		} `json:"cases"`
		EngineCalls int64 `json:"engine_calls"`
	}
	if err := json.Unmarshal(record, &run); err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	if len(run.Cases) != 1 || run.Cases[0].Score == nil || *run.Cases[0].Score != 1 && !s.any {
		return errors.New("the task did not pass")
	}
	for _, id := range run.Environment.Images {
		s.image = id
	}
	s.calls = max(s.calls, run.EngineCalls)
	return nil
}
