package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seatrial/seatrial/internal/nearest"
	"github.com/seatrial/seatrial/internal/terminal"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/sidecar/stack"
)

// Look asks for a trial to be paused for a look inside: a shell for a person, whose end lets the trial go on. What the person does there is in no limit and
// no time of the trial, and counts like the agent's own work otherwise.
type Look struct {
	// Before is the phase that the trial is paused before, in every step: PhaseAgent, PhaseVerifier or PhaseTeardown.
	Before Phase
	// Service is where the shell is, by the name that the record has for its container; empty = the agent's.
	Service string
	// Terminal is the person's.
	Terminal Terminal
	// Kind is what the environment calls the terminal's kind (TERM); empty = unknown.
	Kind string
}

// Terminal is where a person sits.
type Terminal interface {
	// Lend hands the terminal over until use returns. Nobody else writes to it meanwhile, and it is as it was afterwards, whatever happens.
	Lend(use func(*terminal.Screen) error) error
}

// LookPhases are the phases before which a trial can be paused.
func LookPhases() []Phase { return []Phase{PhaseAgent, PhaseVerifier, PhaseTeardown} }

// at says whether the trial is paused before a phase.
func (l *Look) at(before Phase) bool { return l != nil && l.Before == before }

// check sees that a run is of one trial, which has the service. The error is a *UsageError.
func (l *Look) check(q *Request, jobs []Job) error {
	if l == nil {
		return nil
	}
	if n := len(jobs) * max(1, q.Batch.Trials); n != 1 {
		return &UsageError{Cause: fmt.Errorf("--pause-before is for one trial, and %d are planned; choose one task, and no -k", n)}
	}
	p := jobs[0].Plan
	if p == nil {
		return nil // it cannot be planned, which says more
	}
	names := p.lookServices(l.Before)
	if slices.Contains(names, l.service()) {
		return nil
	}
	text := fmt.Sprintf("--shell-in %s: there is no such service before the %s", l.Service, l.Before)
	if near := nearest.Of(l.Service, names); near != "" {
		return &UsageError{Cause: fmt.Errorf("%s; did you mean %s?", text, near)}
	}
	return &UsageError{Cause: fmt.Errorf("%s; there is %s", text, someOf(names))}
}

func (l *Look) service() string { return cmp.Or(l.Service, stack.Main) }

// lookServices are the services that a shell can be in before a phase, as a record names them.
func (p *Plan) lookServices(before Phase) []string {
	var names []string
	add := func(prefix string, s *stack.Spec) {
		for i := range s.Services {
			names = append(names, prefix+s.Services[i].Name)
		}
	}
	add("", p.Spec)
	for i := range p.Steps {
		if g := p.Steps[i].Grader; g != nil && before != PhaseAgent {
			add(p.graderName(i)+"/", g.Spec)
		}
	}
	return names
}

// lookBefore pauses the trial before a phase of the current step, if that was asked for. Where the tests have a stack of their own, the agent's is looked
// into before that one comes.
func (t *trial) lookBefore(ctx context.Context, phase Phase) {
	switch a := t.step.apart; {
	case phase == PhaseAgent:
		t.look(ctx, PhaseAgent, t.work)
	case phase == PhaseStart:
		t.look(ctx, PhaseVerifier, t.work)
	case phase == PhaseVerifier && a != nil:
		t.look(ctx, PhaseVerifier, &a.site)
	case phase == PhaseVerifier:
		t.look(ctx, PhaseVerifier, t.work)
	}
}

// lastLook pauses the trial before its stacks go, however it came out. One that is called off is not.
func (t *trial) lastLook(ctx context.Context) {
	if !t.Look.at(PhaseTeardown) || ctx.Err() != nil {
		return
	}
	up := t.sites()
	if len(up) == 0 {
		t.tell(Event{Kind: OnNote, Text: "there is nothing to look into: no container was started, or it is gone"})
	}
	for _, s := range up {
		if s == t.work && len(up) > 1 {
			if err := s.box.Unpause(ctx); err != nil { // it was frozen while the tests ran elsewhere
				t.warn("paused", err.Error())
			}
		}
		t.look(ctx, PhaseTeardown, s)
	}
}

// look pauses the trial for a shell in a stack, if that is the one that was asked for. It never fails the trial: whatever is wrong there, the next phase meets
// it too.
func (t *trial) look(ctx context.Context, before Phase, s *site) {
	if !t.Look.at(before) || s.box == nil || ctx.Err() != nil {
		return
	}
	service, ok := strings.CutPrefix(t.Look.service(), s.prefix())
	if !ok || strings.Contains(service, "/") {
		return
	}
	began := time.Now()
	t.tell(Event{Kind: OnNote, Text: fmt.Sprintf("paused before the %s: a shell in %s of %s; when it ends, the trial goes on", t.pausedBefore(before), t.Look.service(), t.plan.Folder)})
	v := s.shell(ctx, before, service)
	code := 0
	err := t.Look.Terminal.Lend(func(screen *terminal.Screen) (err error) {
		v.Screen = screen
		code, err = s.box.Visit(ctx, service, v)
		return err
	})
	took := time.Since(began)
	t.paused += took
	t.log.Info("paused", "before", before, "step", t.stepName(), "seconds", took.Seconds(), "exit", code, "error", err)
	text := fmt.Sprintf("the trial was paused before the %s for %.1f s, for a shell in %s", t.pausedBefore(before), took.Seconds(), t.Look.service())
	if err != nil {
		text += ", which was lost: " + err.Error()
		t.tell(Event{Kind: OnNote, Failed: true, Text: "the shell is gone: " + err.Error()})
	}
	t.warn("paused", text)
}

// pausedBefore names a phase for people, with the step in a task that has several.
func (t *trial) pausedBefore(phase Phase) string {
	if t.plan.MultiStep() && t.step != nil && phase != PhaseTeardown {
		return fmt.Sprintf("%s of step %s", phase, t.stepName())
	}
	return string(phase)
}

// shell is a shell in a service of the stack: in the main one as commands of the coming phase are run there, elsewhere as the container is.
func (s *site) shell(ctx context.Context, before Phase, service string) sidecar.Visit {
	v := sidecar.Visit{Argv: sidecar.ShellArgv(), Env: map[string]string{}}
	if s.Look.Kind != "" {
		v.Env["TERM"] = s.Look.Kind
	}
	if service != stack.Main {
		return v
	}
	maps.Copy(v.Env, s.env)
	s.throughProxy(v.Env)
	user := ""
	if s.step != nil {
		user = s.step.plan.VerifierUser
		if before == PhaseAgent {
			user = s.step.plan.AgentUser
		}
	}
	v.User = s.commandUser(user)
	if dir := s.workdir(); dir != "/" {
		if there, err := s.box.Exists(ctx, service, dir); err == nil && there {
			v.Dir = dir
		}
	}
	return v
}
