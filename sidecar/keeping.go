package sidecar

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/volume"
)

// keptSuffix marks the containers of a stack that was kept on purpose when its trial had ended. Labels cannot be changed later, names can.
const keptSuffix = "-kept"

// keeping is for how long a stack is kept.
type keeping struct {
	since time.Time // zero = nobody said
	until time.Time // zero = until somebody removes it
	open  bool      // something of it is not frozen
}

// over says whether its time is.
func (k keeping) over(now time.Time) bool { return !k.until.IsZero() && now.After(k.until) }

// keptTrials are the stacks among some objects that were kept on purpose.
func keptTrials(all []Object) map[string]keeping {
	kept := map[string]keeping{}
	for _, o := range all {
		if o.Kind == "container" && strings.HasSuffix(o.Name, keptSuffix) {
			k := kept[o.Labels[LabelTrial]]
			k.open = k.open || o.State == "running"
			kept[o.Labels[LabelTrial]] = k
		}
	}
	for _, o := range all {
		k, ok := kept[o.Labels[LabelTrial]]
		since, err := time.Parse(time.RFC3339, o.Labels[LabelKeptSince])
		if !ok || err != nil || o.Kind != "volume" { // a container has its image's labels too
			continue
		}
		k.since = since
		if until, err := time.Parse(time.RFC3339, o.Labels[LabelKeptUntil]); err == nil {
			k.until = until
		}
		kept[o.Labels[LabelTrial]] = k
	}
	return kept
}

// Keep marks the stack as kept on purpose and freezes it. The run's end does not remove it any more, and a sweep does only after until; a zero until
// means never.
func (s *Stack) Keep(ctx context.Context, until time.Time) error {
	s.Leave()
	var t tear
	t.add(s.Pause(ctx))
	t.add(s.keptFrom(ctx, time.Now(), until))
	for i := range s.spec.Services {
		name := s.spec.Services[i].Name
		if id := s.ID(name); id != "" {
			t.add(wrap(s.eng.api.ContainerRename(ctx, id, s.Name(name)+keptSuffix), "mark the container as kept"))
		}
	}
	return t.join()
}

// keptFrom notes on the engine for how long the stack is kept. It takes an empty volume of the stack's, since nothing else can be labelled so late.
func (s *Stack) keptFrom(ctx context.Context, since, until time.Time) error {
	labels := s.scope.labels(LabelKeptSince, since.UTC().Format(time.RFC3339))
	if !until.IsZero() {
		labels[LabelKeptUntil] = until.UTC().Format(time.RFC3339)
	}
	_, err := s.eng.api.VolumeCreate(ctx, volume.CreateOptions{Name: objectName(s.scope.Trial, "kept-"+RandomID(8)), Labels: labels})
	return wrap(err, "note how long the stack is kept")
}

// Kept is a stack that was kept on purpose.
type Kept struct {
	Run, Trial string
	Since      time.Time // zero = nobody said
	Until      time.Time // zero = until somebody removes it
	Open       bool      // something of it is not frozen
	Containers int
}

// Kept lists the stacks that were kept on purpose, whosever they are, the oldest first.
func (e *Engine) Kept(ctx context.Context) ([]Kept, error) {
	all, err := e.List(ctx, Selector{})
	if err != nil {
		return nil, err
	}
	found := map[string]*Kept{}
	for trial, k := range keptTrials(all) {
		found[trial] = &Kept{Trial: trial, Since: k.since, Until: k.until, Open: k.open}
	}
	for _, o := range all {
		if k := found[o.Labels[LabelTrial]]; k != nil && o.Kind == "container" {
			k.Run, k.Containers = o.Labels[LabelRun], k.Containers+1
		}
	}
	var out []Kept
	for _, k := range slices.SortedFunc(maps.Values(found), func(a, b *Kept) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Trial, b.Trial)) }) {
		out = append(out, *k)
	}
	return out, nil
}

// expired are the kept stacks whose time is over, and in which nobody is at work.
func (e *Engine) expired(ctx context.Context, all []Object, kept map[string]keeping) map[string]bool {
	out := map[string]bool{}
	for trial, k := range kept {
		if k.over(time.Now()) && (!k.open || !e.visitors(ctx, containersOf(all, trial))) {
			out[trial] = true
		}
	}
	return out
}

// containersOf are a trial's containers by their services.
func containersOf(all []Object, trial string) map[string]Object {
	out := map[string]Object{}
	for _, o := range all {
		if o.Kind == "container" && o.Labels[LabelTrial] == trial {
			out[cmp.Or(o.Labels[LabelService], o.ID)] = o
		}
	}
	return out
}

// probeTime is how long a command has to run before it counts as somebody's: health checks are commands too.
const probeTime = 2 * time.Second

// visitors says whether a command that somebody began runs in one of some containers. What is frozen does not run; what the engine does not tell may.
func (e *Engine) visitors(ctx context.Context, containers map[string]Object) bool {
	look, cancel := within(ctx, probeTime)
	defer cancel()
	for _, c := range containers {
		st, err := e.api.ContainerInspect(ctx, c.ID)
		if err != nil {
			return true
		}
		if !st.State.Running || st.State.Paused {
			continue
		}
		for _, id := range st.ExecIDs {
			for {
				ex, err := e.api.ContainerExecInspect(ctx, id)
				if err != nil && !errdefs.IsNotFound(err) {
					return true
				}
				if err != nil || !ex.Running {
					break
				}
				if pause(look, 100*time.Millisecond) != nil {
					return true
				}
			}
		}
	}
	return false
}

// NotKeptError says that a trial's stack cannot be entered.
type NotKeptError struct {
	Trial string
	Host  string // the engine's address
	There bool   // something of it is on the engine, and was not kept
}

func (e *NotKeptError) Error() string {
	if e.There {
		return fmt.Sprintf("what is on the engine at %s of trial %s was not kept: its run is under way, or has left it behind", e.Host, e.Trial)
	}
	return fmt.Sprintf("nothing of trial %s is kept on the engine at %s", e.Trial, e.Host)
}
