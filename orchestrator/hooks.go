package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
	"github.com/seatrial/seatrial/task"
)

// hooks plans the collect hooks and artifacts: the services that they name must be there, and need the helper.
func (p *Plan) hooks(c *task.Config, s *StepPlan) error {
	missing := func(key, service string) error {
		at := p.where(key)
		return &UnsupportedError{File: filepath.Join(p.Task.Dir, "task.toml"), Line: at.Line, Column: at.Column, Key: key, What: fmt.Sprintf("the task has no service %q", service)}
	}
	l := s.Limits[PhaseCollect]
	for i, h := range s.Hooks {
		svc := sidecar.Find(p.Spec, h.Service)
		if svc == nil {
			return missing(s.key("verifier.collect", len(c.Verifier.Collect), i)+".service", h.Service)
		}
		svc.Helper = true
		l.Value += h.Timeout
		l.Source = "default, and timeout_sec of each [[verifier.collect]]"
	}
	s.Limits[PhaseCollect] = l
	for i, a := range s.Artifacts {
		if name := cmp.Or(a.Service, stack.Main); sidecar.Find(p.Spec, name) == nil {
			return missing(s.key("artifacts", len(c.Artifacts), i)+".service", name)
		}
	}
	return nil
}

// key names the entry with index i of a list that has the task's n entries first, and then the step's own.
func (s *StepPlan) key(list string, n, i int) string {
	if i < n {
		return fmt.Sprintf("%s[%d]", list, i)
	}
	return fmt.Sprintf("steps[%d].%s[%d]", s.Part.Step, list, i-n)
}

// where is the place of a key of task.toml, or of the nearest one above it that the file has.
func (p *Plan) where(key string) task.Position {
	for {
		at := p.Task.Config.Where(key)
		i := strings.LastIndexAny(key, ".[")
		if at.Line > 0 || i < 0 {
			return at
		}
		key = key[:i]
	}
}

// gathers says whether there is anything to do between the agent and the tests.
func (t *trial) gathers() bool {
	return t.plan.Fakes != nil || t.plan.Agent.Kind == AgentInstalled || len(t.step.plan.Hooks) > 0 || len(t.step.plan.Artifacts) > 0
}

// gather runs the collect hooks and brings the artifacts: first those of the agent's container, then those of the sidecars, as Harbor does. A hook that fails
// is recorded, and decides nothing.
func (t *trial) gather(ctx context.Context) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	t.agentFiles(ctx)
	if len(t.step.plan.Hooks) > 0 && t.plan.Gate != nil { // they have the network that the environment starts with
		if err := t.work.use(ctx, t.plan.Gate.Start); err != nil {
			return err
		}
	}
	if err := t.keepEvidence(ctx); err != nil {
		return err
	}
	for _, main := range []bool{true, false} {
		for _, h := range t.step.plan.Hooks {
			if main != (h.Service == stack.Main) {
				continue
			}
			if err := t.hook(ctx, h); err != nil {
				return err
			}
		}
		if err := t.keepArtifacts(ctx, main); err != nil {
			return err
		}
	}
	return t.listArtifacts()
}

// hook runs one collect hook. Only a lost stack is an error.
func (t *trial) hook(ctx context.Context, h task.Collect) error {
	started := time.Now()
	out := &tail{max: 16 << 10}
	spec := shim.Spec{Argv: []string{"sh", "-c", h.Command}, User: h.User.Or(""), LimitMS: milliseconds(h.Timeout), GraceMS: testsGrace.Milliseconds()}
	c := sidecar.Command{Service: h.Service, Spec: spec, Stdout: out, Stderr: out}
	if h.Service == stack.Main {
		c = t.work.command(spec, t.work.env, out, out)
	} else if c.Spec.User == "" {
		c.Spec.User = cmp.Or(sidecar.Find(t.work.spec, h.Service).User, t.work.images[h.Service].user)
	}
	if err := t.work.prepareFirst(ctx, &c); err != nil {
		return err
	}
	res, err := t.work.box.Run(ctx, c)
	if err != nil {
		return err
	}
	why := ""
	switch {
	case res.Start != nil:
		why = "it did not start: " + res.Start.Detail
	case res.Limit != "":
		why = fmt.Sprintf("it was ended by its limit of %s", h.Timeout)
	case res.Exit != 0:
		why = fmt.Sprintf("exit code %d", res.Exit)
	}
	t.log.Info("collect hook", "service", h.Service, "command", h.Command, "seconds", time.Since(started).Seconds(), "failure", why)
	if why != "" {
		if lines := sidecar.TailLines(out.Bytes(), 1); len(lines) > 0 {
			why += "; its last line: " + lines[0]
		}
		t.warn("collect_failed", fmt.Sprintf("collect hook in %s (%s): %s", h.Service, h.Command, why))
	}
	return nil
}
