package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// HealthError says that the task's own health check of its environment failed too often.
type HealthError struct {
	Command  string
	Tries    int
	Exit     int
	TimedOut bool
	Lines    []string
}

func (e *HealthError) Error() string {
	why := fmt.Sprintf("exit code %d", e.Exit)
	if e.TimedOut {
		why = "no end within its time-out"
	}
	s := fmt.Sprintf("the environment's health check failed %d times in a row (%s): %s", e.Tries, why, e.Command)
	if len(e.Lines) > 0 {
		s += "; its last line: " + e.Lines[len(e.Lines)-1]
	}
	return s
}

// healthcheck runs a health check of the task until it succeeds; nil is none. A command that hangs counts as one failure.
func (s *site) healthcheck(ctx context.Context, h *task.Healthcheck, user string) error {
	if h == nil {
		return nil
	}
	started, failures := time.Now(), 0
	for {
		out := &tail{max: 16 << 10}
		c := s.command(shim.Spec{Argv: []string{"sh", "-c", h.Command}, User: user,
			LimitMS: milliseconds(h.Timeout), GraceMS: 500}, nil, out, out)
		if err := s.prepareFirst(ctx, &c); err != nil {
			return err
		}
		res, err := s.box.Run(ctx, c)
		var lost *sidecar.LostError
		switch {
		case errors.As(err, &lost) && !lost.Engine:
			res.Exit = 137
		case err != nil:
			return err
		case res.Start == nil && res.Exit == 0 && res.Limit == "":
			return nil
		}
		wait := h.Interval
		if time.Since(started) < h.StartPeriod {
			wait = h.StartInterval
		} else if failures++; failures >= h.Retries {
			return &HealthError{Command: h.Command, Tries: failures, Exit: res.Exit, TimedOut: res.Limit != "", Lines: sidecar.TailLines(out.Bytes(), 10)}
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("wait for the environment's health check: %w", err)
		}
	}
}

// command fills in what all commands in the agent's container share.
func (s *site) command(spec shim.Spec, env map[string]string, stdout, stderr interface{ Write([]byte) (int, error) }) sidecar.Command {
	if spec.Dir == "" {
		spec.Dir = s.workdir()
	}
	for _, u := range sidecar.Find(s.spec, stack.Main).Ulimits {
		if u.Name == "nofile" && u.Soft >= 0 && u.Hard >= u.Soft {
			spec.Files = &shim.FileLimit{Soft: uint64(u.Soft), Hard: uint64(u.Hard)}
		}
	}
	if addr := s.box.Resolver(); addr != "" {
		spec.Prepare = append([]shim.Prep{{Op: "text", Path: "/etc/resolv.conf", Text: "nameserver " + addr + "\noptions ndots:0\n"}}, spec.Prepare...)
	}
	if s == s.work { // what an earlier step left in the agent's container goes before anything is run there
		spec.Prepare = append(s.step.takePending(), spec.Prepare...)
	}
	c := sidecar.Command{Service: stack.Main, Spec: spec, Env: env, Stdout: stdout, Stderr: stderr}
	s.asUser(&c)
	return c
}
