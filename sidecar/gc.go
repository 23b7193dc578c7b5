package sidecar

import (
	"context"
	"slices"
	"time"
)

// Stale is what a dead run has left behind.
type Stale struct {
	Object
	Run, Trial string
	Kept       bool     // kept on purpose
	Owner      Liveness // Dead, or Unknown for another host's
}

// Stale lists what is on the engine of runs whose process is dead, and stacks that were kept on purpose until now. With kept, all of those are listed; with
// foreign, what belongs to other hosts, whose processes cannot be seen from here. When a kept stack's time is over does not depend on its owner.
func (e *Engine) Stale(ctx context.Context, self Owner, kept, foreign bool) ([]Stale, error) {
	all, err := e.List(ctx, Selector{})
	if err != nil {
		return nil, err
	}
	purposely := keptTrials(all)
	expired := e.expired(ctx, all, purposely)
	var out []Stale
	for _, o := range all {
		live := Unknown
		if owner, ok := ParseOwner(o.Labels[LabelOwner]); ok {
			live = owner.Alive(self)
		}
		_, isKept := purposely[o.Labels[LabelTrial]]
		if !expired[o.Labels[LabelTrial]] && (live == Alive && !isKept || live == Unknown && !foreign || isKept && !kept) {
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
func (e *Engine) SweepRun(ctx context.Context, run, owner string) error {
	sel := Selector{Run: run, Owner: owner}
	all, err := e.List(ctx, sel)
	if err != nil {
		return err
	}
	kept := keptTrials(all)
	return e.removeOnly(ctx, sel, func(o Object) bool {
		_, ok := kept[o.Labels[LabelTrial]]
		return !ok
	})
}
