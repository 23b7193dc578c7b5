package orchestrator

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
)

// SetupError says that a step's setup.sh did not do its work.
type SetupError struct {
	Script string
	Exit   int
	Limit  string // "term" or "kill" when its limit ended it
	Start  *shim.StartError
	Lines  []string
}

func (e *SetupError) Error() string {
	switch {
	case e.Start != nil:
		return e.Script + " could not be started: " + e.Start.Detail
	case e.Limit != "":
		return e.Script + " was ended by its limit"
	}
	s := fmt.Sprintf("%s ended with exit code %d", e.Script, e.Exit)
	if len(e.Lines) > 0 {
		s += "; its last line: " + e.Lines[len(e.Lines)-1]
	}
	return s
}

// prepares says whether there is anything to do before the agent of the current step.
func (t *trial) prepares() bool {
	p := t.step.plan
	return p.Part.Workdir != "" || p.Healthcheck != nil
}

// prepare brings what a step ships for the working directory, runs its setup.sh as the agent's user, and waits until its health check is content.
func (t *trial) prepare(ctx context.Context) error {
	p := t.step.plan
	if t.plan.Gate != nil {
		if err := t.work.use(ctx, t.plan.Gate.Start); err != nil {
			return err
		}
	}
	if p.Part.Workdir != "" {
		dir := filepath.Join(t.plan.Task.Dir, filepath.FromSlash(p.Part.Workdir))
		if err := t.work.intoWorkdir(ctx, dir); err != nil {
			return err
		}
	}
	if p.Part.Setup {
		if err := t.setUp(ctx); err != nil {
			return err
		}
	}
	return t.work.healthcheck(ctx, p.Healthcheck, p.AgentUser)
}

func (t *trial) setUp(ctx context.Context) error {
	script, limit := path.Join(t.work.workdir(), "setup.sh"), t.limit(PhasePrepare)
	if err := t.dir.Make(t.step.host("setup")); err != nil {
		return err
	}
	spec := shim.Spec{Prepare: []shim.Prep{{Op: "executable", Path: script}}, Argv: []string{script}, Script: true, User: t.step.plan.AgentUser,
		LimitMS: milliseconds(limit.Value), GraceMS: testsGrace.Milliseconds(), KeepLeftovers: true, Head: streamHead, Tail: streamTail}
	out, errs := t.step.host("setup", "stdout.log"), t.step.host("setup", "stderr.log")
	res, err := t.work.streamed(ctx, "setup.sh", out, errs, spec, t.work.env)
	t.step.facts.SetupScript = t.exec(res, err == nil, limit, out, errs)
	if err != nil {
		return err
	}
	if res.Start != nil || res.Limit != "" || res.Exit != 0 {
		return &SetupError{Script: script, Exit: res.Exit, Limit: res.Limit, Start: res.Start, Lines: sidecar.TailLines(t.dir.Tail(out, errs), 10)}
	}
	return nil
}
