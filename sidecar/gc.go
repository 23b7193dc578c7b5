package sidecar

import (
	"context"
	"slices"
	"strings"
	"time"
)

// keptSuffix marks the containers of a stack that was kept on purpose when its trial had ended. Labels cannot be changed later, names can.
const keptSuffix = "-kept"

// Stale is what a dead run has left behind.
type Stale struct {
	Object
	Run, Trial string
	Kept       bool     // kept on purpose
	Owner      Liveness // Dead, or Unknown for another host's
}

// Stale lists what is on the engine of runs whose process is dead. With kept, stacks that were kept on purpose are listed too; with foreign,
// what belongs to other hosts, whose processes cannot be seen from here.
func (e *Engine) Stale(ctx context.Context, self Owner, kept, foreign bool) ([]Stale, error) {
	all, err := e.List(ctx, Selector{})
	if err != nil {
		return nil, err
	}
	keptTrials := map[string]bool{}
	for _, o := range all {
		if o.Kind == "container" && strings.HasSuffix(o.Name, keptSuffix) {
			keptTrials[o.Labels[LabelTrial]] = true
		}
	}
	var out []Stale
	for _, o := range all {
		live := Unknown
		if owner, ok := ParseOwner(o.Labels[LabelOwner]); ok {
			live = owner.Alive(self)
		}
		isKept := keptTrials[o.Labels[LabelTrial]]
		if live == Alive && !isKept || live == Unknown && !foreign || isKept && !kept {
			continue
		}
		out = append(out, Stale{Object: o, Run: o.Labels[LabelRun], Trial: o.Labels[LabelTrial], Kept: isKept, Owner: live})
	}
	return out, nil
}

// Sweep removes what Stale lists, trial by trial, and returns it.
func (e *Engine) Sweep(ctx context.Context, self Owner, kept, foreign bool) ([]Stale, error) {
	stale, err := e.Stale(ctx, self, kept, foreign)
	if err != nil || len(stale) == 0 {
		return nil, err
	}
	var t tear
	done := map[Selector]bool{}
	for _, s := range stale {
		sel := Selector{Run: s.Run, Trial: s.Trial}
		if done[sel] {
			continue
		}
		done[sel] = true
		step, cancel := within(ctx, 30*time.Second)
		t.add(e.removeOnly(step, sel, func(o Object) bool {
			return slices.ContainsFunc(stale, func(x Stale) bool { return x.Kind == o.Kind && x.ID == o.ID })
		}))
		cancel()
	}
	return stale, t.join()
}

// SweepRun removes everything of one run but what was kept on purpose. It is what a run's guard does when the run's process is gone.
func (e *Engine) SweepRun(ctx context.Context, run string) error {
	all, err := e.List(ctx, Selector{Run: run})
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, o := range all {
		if o.Kind == "container" && strings.HasSuffix(o.Name, keptSuffix) {
			kept[o.Labels[LabelTrial]] = true
		}
	}
	return e.removeOnly(ctx, Selector{Run: run}, func(o Object) bool { return !kept[o.Labels[LabelTrial]] })
}

// Keep marks the stack as kept on purpose and freezes it; neither the run's end nor a sweep removes it from now on.
func (s *Stack) Keep(ctx context.Context) error {
	s.Leave()
	var t tear
	t.add(s.Pause(ctx))
	for i := range s.spec.Services {
		name := s.spec.Services[i].Name
		if id := s.ID(name); id != "" {
			t.add(wrap(s.eng.api.ContainerRename(ctx, id, s.Name(name)+keptSuffix), "mark the container as kept"))
		}
	}
	return t.join()
}

// KeptName is the name of a service's container once it is kept.
func (s *Stack) KeptName(service string) string { return s.Name(service) + keptSuffix }
