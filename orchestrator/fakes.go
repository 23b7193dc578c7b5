package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/fakes/evidence"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// fakesReady waits until the fakes answer. Their first snapshot is taken by then.
func (t *trial) fakesReady(ctx context.Context) error {
	if t.plan.Fakes == nil && !t.work.spec.Tools {
		return nil
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return t.work.box.Tools(gctx) })
	if t.plan.Fakes != nil {
		g.Go(func() error { return t.awaitFakes(gctx) })
	}
	return g.Wait() //nolint:wrapcheck // its parts are typed
}

func (t *trial) awaitFakes(ctx context.Context) error {
	for said := ""; ; {
		ready, now, err := t.fakesAnswer(ctx)
		if err != nil {
			return t.fakesLate(ctx, said, err)
		}
		if ready {
			return nil
		}
		said = now
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return t.fakesLate(ctx, said, err)
		}
	}
}

// fakesAnswer asks the fakes once. This program's own listen by the time their first snapshot is there, which the engine sees for much less than a command
// costs; others are asked by the protocol.
func (t *trial) fakesAnswer(ctx context.Context) (ready bool, said string, err error) {
	if !t.plan.Fakes.Own {
		ready, err = t.work.box.Exists(ctx, t.plan.Fakes.Service, path.Join(fakesOut, evidence.InitialFile))
		return ready, "", err
	}
	said, res, err := t.control(ctx, "status")
	if err != nil {
		return false, said, err
	}
	if res.Start != nil {
		return false, said, &sidecar.DeadError{Service: t.plan.Fakes.Service, Why: "not_started", Cause: fmt.Errorf("its control cannot be run: %s", res.Start.Detail)}
	}
	return res.Exit == 0, said, nil
}

// fakesLate says what the fakes said last, where it is the limit that ended the wait for them.
func (t *trial) fakesLate(ctx context.Context, said string, err error) error {
	var late *TimeoutError
	if !errors.As(context.Cause(ctx), &late) {
		return err
	}
	if said == "" {
		said = "nothing"
	}
	return &sidecar.DeadError{Service: t.plan.Fakes.Service, Why: "not_ready", Limit: late.Value, Cause: fmt.Errorf("%w; its control said: %s", late, said)}
}

// control runs a verb of the fakes' control plane, which is reachable from inside their container only.
func (t *trial) control(ctx context.Context, verb ...string) (string, *sidecar.Result, error) {
	out := &tail{max: 16 << 10}
	res, err := t.work.box.Run(ctx, sidecar.Command{Service: t.plan.Fakes.Service, Spec: shim.Spec{Argv: t.plan.Fakes.control(verb...), LimitMS: 20_000, GraceMS: 500}, Stdout: out, Stderr: out})
	return strings.TrimSpace(string(out.Bytes())), res, err
}

// showEvidence says how the evidence gets to its place for the tests from where it was put.
func (t *trial) showEvidence(staged string) []shim.Prep {
	if t.plan.Fakes == nil {
		return nil
	}
	return []shim.Prep{
		{Op: "mkdir", Path: path.Dir(fakesShown), Mode: 0o755}, // closed meanwhile: another user's processes could be faster with a folder of that name
		{Op: "replace", Path: fakesShown, From: staged},
		{Op: "mkdir", Path: path.Dir(fakesShown), Mode: 0o1777}, // sticky: they cannot exchange what is not theirs
	}
}

// testsPath lets the tests find the program, and its Python module, when they are there for them.
func (s *site) testsPath(env map[string]string) {
	if !s.spec.Tools {
		return
	}
	dirs := env["PATH"]
	if dirs == "" {
		dirs = s.images[stack.Main].path
	}
	if dirs == "" {
		dirs = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" // the engine's own
	}
	env["PATH"] = sidecar.ToolsDir + ":" + dirs
	env["PYTHONPATH"] = strings.TrimPrefix(env["PYTHONPATH"]+":"+sidecar.ToolsDir, ":")
}

// voided replaces a verdict when the fakes broke their own contract: what was measured is not what the task means to measure.
func (t *trial) voided() bool {
	f := t.rec.Fakes
	if f == nil || f.Violations == 0 {
		return false
	}
	t.setFault(&Fault{Code: CodeFakeContractViolation, Phase: string(PhaseCollect), Service: f.Service, Lines: f.FirstViolations,
		Message: fmt.Sprintf("the fakes answered outside their contract %d times, so the rewards do not count: %s", f.Violations, f.FirstViolations[0])})
	return true
}
