package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"time"

	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/archive"
	"github.com/seatrial/seatrial/sidecar/shim"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// How much of each output stream is kept, and how long TERM is given before KILL.
const (
	streamHead = 4 << 20
	streamTail = 1 << 20
	agentGrace = 3 * time.Second
	testsGrace = 2 * time.Second
)

// ourMark begins what the tool itself writes into a file of a command's output.
const ourMark = "[seatrial: "

// StartFailure says that a command never started in the agent's container.
type StartFailure struct {
	Who string // "agent" or "verifier"
	shim.StartError
}

func (e *StartFailure) Error() string {
	return fmt.Sprintf("the %s could not be started: %s", e.Who, e.Detail)
}

// agent lets the agent do its work. An agent that fails, or is cut off, is graded all the same; one that never started is not.
func (t *trial) agent(ctx context.Context) error {
	if t.replayed() != "" {
		return t.replay(ctx)
	}
	spec, env, err := t.agentCommand(ctx)
	if err != nil || spec == nil {
		return err
	}
	if err := t.work.use(ctx, t.step.plan.AgentPolicy); err != nil {
		return err
	}
	t.work.throughProxy(env)
	limit := t.limit(PhaseAgent)
	spec.User, spec.KeepLeftovers, spec.CountChanged, spec.Head, spec.Tail = t.step.plan.AgentUser, true, true, streamHead, streamTail
	spec.LimitMS, spec.GraceMS = milliseconds(limit.Value), agentGrace.Milliseconds()
	out, errs := t.step.host("agent", "stdout.log"), t.step.host("agent", "stderr.log")
	res, err := t.work.streamed(ctx, "agent", out, errs, *spec, env)
	t.step.facts.Agent = t.exec(res, err == nil, limit, out, errs)
	if err != nil {
		return t.agentLost(ctx, err)
	}
	switch {
	case res.Start != nil:
		return &StartFailure{Who: "agent", StartError: *res.Start}
	case res.Limit != "":
		t.warn("agent_timed_out", fmt.Sprintf("the agent was ended after %.1f s by its limit of %s (%s)", res.Seconds, limit.Value, limit.Source))
	case res.Exit != 0:
		t.warn(CodeAgentError, agentEnd(res))
	}
	if res.Limit == "" || res.Exit != 0 {
		t.step.result.AgentExit = &res.Exit
		t.rec.Case.Result.AgentExit = &res.Exit // the last step's
	}
	if res.Survivors > 0 {
		return t.work.restart(ctx, fmt.Sprintf("%d processes of the agent could not be ended", res.Survivors))
	}
	return nil
}

func agentEnd(res *sidecar.Result) string {
	s := fmt.Sprintf("the agent ended with exit code %d after %.1f s", res.Exit, res.Seconds)
	if res.Signal != "" {
		s = fmt.Sprintf("the agent was ended by %s after %.1f s", res.Signal, res.Seconds)
	}
	if res.OOMKills > 0 {
		s += "; the container's memory limit killed processes of it"
	}
	return s
}

// agentLost handles an agent whose end is unknown: its helper was killed. Nothing that it started may run on while it is graded.
func (t *trial) agentLost(ctx context.Context, err error) error {
	var lost *sidecar.LostError
	if !errors.As(err, &lost) || lost.Engine {
		return err
	}
	t.warn(CodeAgentError, "how the agent ended is unknown: "+lost.Error())
	return t.work.restart(ctx, "the agent's helper was killed")
}

// restart ends everything in the agent's container at once; its files stay.
func (s *site) restart(ctx context.Context, why string) error {
	s.rec.Restarts = append(s.rec.Restarts, why)
	whose := "the agent's"
	if s != s.work {
		whose = "the verifier's"
	}
	s.warn("container_restarted", whose+" container was started again: "+why)
	if err := s.box.Restart(ctx, stack.Main); err != nil {
		return fmt.Errorf("%s, and then: %w", why, err)
	}
	return nil
}

// agentCommand copies in what the agent needs and says what to run; nil = nothing.
func (t *trial) agentCommand(ctx context.Context) (*shim.Spec, map[string]string, error) {
	p := t.plan
	if p.Agent.Kind == AgentNop || p.Agent.Kind == AgentReplay || p.Agent.Kind == AgentProbe && t.step.plan.Part.Solution == "" {
		return nil, nil, nil
	}
	env := map[string]string{}
	maps.Copy(env, p.Env)
	logs := []shim.Prep{{Op: "mkdir", Path: "/logs/agent", Mode: 0o777}, {Op: "mkdir", Path: "/logs/artifacts", Mode: 0o777}, {Op: "mkdir", Path: "/logs/verifier", Mode: 0o777}}
	switch p.Agent.Kind {
	case AgentOracle, AgentProbe:
		maps.Copy(env, toldEnv(p))
		maps.Copy(env, p.SolutionEnv)
		maps.Copy(env, p.AgentEnv)
		staged, err := t.work.put(ctx, staging("solution"), func(w io.Writer, prefix string) error {
			return archive.Pack(w, filepath.Join(p.Task.Dir, filepath.FromSlash(t.step.plan.Part.Solution)), archive.PackOptions{Prefix: prefix})
		})
		prep := append(logs, shim.Prep{Op: "replace", Path: "/solution", From: staged}, shim.Prep{Op: "executable", Path: "/solution/solve.sh"})
		return &shim.Spec{Prepare: prep, Argv: []string{"/solution/solve.sh"}, Script: true}, env, err
	case AgentCommand, AgentInstalled:
		text := p.Agent.Command
		if p.Agent.Kind == AgentInstalled {
			text = t.agentText()
		}
		maps.Copy(env, t.agentEnv())
		maps.Copy(env, p.AgentEnv)
		_, err := t.work.put(ctx, "", func(w io.Writer, prefix string) error {
			items := []archive.Item{{Name: path.Join(prefix, path.Base(instructionFile)), Data: []byte(t.step.plan.Part.Instruction), Mode: 0o644}}
			if servers := p.mcpServers(); len(servers) > 0 {
				items = append(items, archive.Item{Name: path.Join(prefix, path.Base(serversFile)), Data: []byte(toldServers(servers) + "\n"), Mode: 0o644})
			}
			return archive.Write(w, items...)
		})
		return &shim.Spec{Prepare: logs, Argv: []string{"sh", "-c", text}, Needs: programs(text)}, env, err
	case AgentNop, AgentReplay:
	}
	return nil, nil, nil
}

// staging is a name that nobody in the container can have prepared for.
func staging(what string) string { return what + "-" + sidecar.RandomID(16) }

// streamed runs a command with its output in files of the trial's folder.
func (s *site) streamed(ctx context.Context, who, stdout, stderr string, spec shim.Spec, env map[string]string) (*sidecar.Result, error) {
	out, err := s.dir.Stream(stdout, s.mask)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	errs, err := s.dir.Stream(stderr, s.mask)
	if err != nil {
		return nil, err
	}
	defer errs.Close()
	c := s.command(spec, env, out, errs)
	if err := s.prepareFirst(ctx, &c); err != nil {
		return nil, err
	}
	res, err := s.box.Run(ctx, c)
	var lost *sidecar.LostError
	if errors.As(err, &lost) && lost.Unstarted && who == "verifier" {
		// What the agent left fills the container (its process limit, say). Nothing of the tests has run.
		if err := s.restart(ctx, "the tests could not begin in it as the agent had left it: "+lost.Cause.Error()); err != nil {
			return nil, err
		}
		res, err = s.box.Run(ctx, c)
	}
	if res != nil && res.Limit != "" {
		mark := fmt.Sprintf("\n%sended by the %s limit of %s]\n", ourMark, who, time.Duration(spec.LimitMS)*time.Millisecond)
		_, _ = io.WriteString(out, mark)
	}
	for _, f := range []*StreamFile{out, errs} {
		if f.Err() != nil {
			s.warn("log_incomplete", filepath.Base(f.Name())+" is incomplete: "+f.Err().Error())
		}
	}
	return res, err
}

// exec turns a result into a record. known says that the helper reported; else the command's end is not known.
func (t *trial) exec(res *sidecar.Result, known bool, limit Limit, stdout, stderr string) *Exec {
	e := &Exec{LimitSeconds: limit.Value.Seconds(), LimitSource: limit.Source, Stdout: Stream{Path: stdout}, Stderr: Stream{Path: stderr}}
	if res == nil {
		return e
	}
	at := res.StartedAt.UTC()
	e.StartedAt, e.Seconds = &at, res.Took.Seconds()
	if !known {
		return e
	}
	if res.Start != nil {
		e.StartError = res.Start.Kind
		return e
	}
	e.Exit, e.Seconds, e.Signal, e.Limit = &res.Exit, res.Seconds, res.Signal, res.Limit
	for _, p := range res.Leftovers {
		e.Leftovers = append(e.Leftovers, t.mask.String(p.Name))
	}
	e.LeftoverCount = res.LeftoverCount
	if res.OOMKills >= 0 {
		e.OOMKills = &res.OOMKills
	}
	e.ChangedFiles, e.Pressure = res.Changed, res.Pressure
	e.UserSeconds, e.SystemSeconds, e.MaxRSSKB = res.UserSec, res.SysSec, res.MaxRSSKB
	e.Stdout.Bytes, e.Stdout.Cut, e.Stderr.Bytes, e.Stderr.Cut = res.Stdout.Bytes, res.Stdout.Cut, res.Stderr.Bytes, res.Stderr.Cut
	return e
}
