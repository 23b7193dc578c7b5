package sidecar

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
)

// Object is something on the engine that bears our labels.
type Object struct {
	Kind   string // "container", "network" or "volume"
	ID     string
	Name   string
	Labels map[string]string
	State  string // containers only
}

func (o Object) String() string {
	id := o.ID
	if len(id) > 12 && o.Kind != "volume" {
		id = id[:12]
	}
	if o.Name == "" || o.Name == id {
		return o.Kind + " " + id
	}
	return fmt.Sprintf("%s %s (%s)", o.Kind, id, o.Name)
}

// Selector chooses objects by exact label values. An empty one chooses everything that any run has made.
type Selector struct{ Run, Trial, Owner string }

func (s Selector) filter() filters.Args {
	f := filters.NewArgs()
	switch {
	case s.Trial != "":
		f.Add("label", LabelTrial+"="+s.Trial)
	case s.Run != "":
		f.Add("label", LabelRun+"="+s.Run)
	default:
		f.Add("label", LabelRun)
	}
	if s.Owner != "" {
		f.Add("label", LabelOwner+"="+s.Owner)
	}
	return f
}

// matches compares again here: engines differ in what a label filter lets through.
func (s Selector) matches(labels map[string]string) bool {
	run, ok := labels[LabelRun]
	return ok && (s.Run == "" || run == s.Run) && (s.Trial == "" || labels[LabelTrial] == s.Trial) && (s.Owner == "" || labels[LabelOwner] == s.Owner)
}

// List returns what is on the engine for a selector: containers in every state first, then networks, then volumes.
func (e *Engine) List(ctx context.Context, sel Selector) ([]Object, error) {
	// The client would settle its API version by itself, but not for several calls at once.
	if _, err := e.Ping(ctx); err != nil {
		return nil, err
	}
	var cs, ns, vs []Object
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		list, err := e.api.ContainerList(ctx, container.ListOptions{All: true, Filters: sel.filter()})
		for _, c := range list {
			cs = append(cs, Object{Kind: "container", ID: c.ID, Name: strings.TrimPrefix(first(c.Names), "/"), Labels: c.Labels, State: c.State})
		}
		return wrap(err, "list containers")
	})
	g.Go(func() error {
		list, err := e.api.NetworkList(ctx, network.ListOptions{Filters: sel.filter()})
		for _, n := range list {
			ns = append(ns, Object{Kind: "network", ID: n.ID, Name: n.Name, Labels: n.Labels})
		}
		return wrap(err, "list networks")
	})
	g.Go(func() error {
		list, err := e.api.VolumeList(ctx, volume.ListOptions{Filters: sel.filter()})
		for _, v := range list.Volumes {
			vs = append(vs, Object{Kind: "volume", ID: v.Name, Name: v.Name, Labels: v.Labels})
		}
		return wrap(err, "list volumes")
	})
	if err := g.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // wrapped above
	}
	all := slices.Concat(cs, ns, vs)
	return slices.DeleteFunc(all, func(o Object) bool { return !sel.matches(o.Labels) }), nil
}

// Remove removes everything a selector chooses and looks again until nothing is left or ctx ends; what is then left is a *LeakError.
// It is the only code that removes anything of a trial, whoever asks: the trial itself, its guard, or a later sweep. Something that
// is already gone, or being removed by somebody else, is no error.
func (e *Engine) Remove(ctx context.Context, sel Selector) error {
	return e.removeOnly(ctx, sel, func(Object) bool { return true })
}

func (e *Engine) removeOnly(ctx context.Context, sel Selector, want func(Object) bool) error {
	var left []Object
	var cause error
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		found, err := e.List(ctx, sel)
		if err == nil {
			left = slices.DeleteFunc(found, func(o Object) bool { return !want(o) })
			if len(left) == 0 {
				return nil
			}
			err = e.removeAll(ctx, left)
		}
		cause = err
		if again, lerr := e.List(ctx, sel); lerr == nil {
			left = slices.DeleteFunc(again, func(o Object) bool { return !want(o) })
			if len(left) == 0 {
				return nil
			}
		}
		if pause(ctx, wait) != nil {
			break
		}
	}
	leak := &LeakError{Cause: cause}
	for _, o := range left {
		leak.Left = append(leak.Left, o.String())
	}
	return leak
}

// removeAll removes containers first: networks and volumes are held by them.
func (e *Engine) removeAll(ctx context.Context, objects []Object) error {
	var t tear
	for _, kind := range []string{"container", "network", "volume"} {
		var g errgroup.Group
		g.SetLimit(8)
		for _, o := range objects {
			if o.Kind == kind {
				g.Go(func() error { t.add(e.removeOne(ctx, o)); return nil })
			}
		}
		_ = g.Wait() // its functions return nothing
	}
	return t.join()
}

func (e *Engine) removeOne(ctx context.Context, o Object) error {
	switch o.Kind {
	case "container":
		return e.removeContainer(ctx, o.ID)
	case "network":
		return gone(e.api.NetworkRemove(ctx, o.ID), o)
	default:
		return gone(e.api.VolumeRemove(ctx, o.ID, false), o)
	}
}

func (e *Engine) removeContainer(ctx context.Context, id string) error {
	err := e.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	return gone(err, Object{Kind: "container", ID: id})
}

// RemoveImage takes names from an image, and with the last one the image goes, unless a container is made of it: then it stays, and kept says so. Images below it that
// have no name stay. One that is not there any more is no error.
func (e *Engine) RemoveImage(ctx context.Context, tags []string) (kept bool, err error) {
	for _, tag := range tags {
		_, err := e.api.ImageRemove(ctx, tag, image.RemoveOptions{})
		switch {
		case err == nil, errdefs.IsNotFound(err):
		case errdefs.IsConflict(err):
			return true, nil
		default:
			return false, fmt.Errorf("remove image %s: %w", tag, err)
		}
	}
	return false, nil
}

// PruneBuilds removes build cache that no build is using, least recently used first, until at most keep bytes are left of it, and returns how many bytes that gave back. With 0 all
// of it goes, and what images share with it is forgotten.
func (e *Engine) PruneBuilds(ctx context.Context, keep int64) (int64, error) {
	info, err := e.Ping(ctx)
	if err != nil {
		return 0, err
	}
	opt := build.CachePruneOptions{All: keep == 0, ReservedSpace: keep}
	if older(info.API, "1.48") {
		opt.ReservedSpace, opt.KeepStorage = 0, keep
	}
	report, err := e.api.BuildCachePrune(ctx, opt)
	if err != nil {
		return 0, fmt.Errorf("remove build cache: %w", err)
	}
	return int64(min(report.SpaceReclaimed, math.MaxInt64)), nil //nolint:gosec // bounded
}

// gone takes "not found" and "removal already in progress" as success: the listing that follows is what counts.
func gone(err error, o Object) error {
	if err == nil || errdefs.IsNotFound(err) || errdefs.IsConflict(err) && o.Kind == "container" {
		return nil
	}
	return fmt.Errorf("remove %s: %w", o, err)
}

func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
