package sidecar

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
)

// An engine that is still busy with a creation whose answer was lost knows the name, and nothing behind it, for this long.
const (
	adoptTries = 6
	adoptPause = 200 * time.Millisecond
)

// lingerFor is how long a creation that is under way may still take when its trial is called off: what an engine makes for nobody comes after the
// teardown has looked for it.
const lingerFor = 15 * time.Second

// made creates a container and returns its id. The name is unique on the engine and has a random part, so that one which is there already, with
// our labels, is what an earlier request has made whose answer was lost.
func (s *Stack) made(ctx context.Context, b blueprint) (string, error) {
	ctx, cancel := lingering(ctx, lingerFor)
	defer cancel()
	for n, wait := 1, adoptPause; ; n, wait = n+1, 2*wait {
		r, err := s.eng.api.ContainerCreate(ctx, b.config, b.host, b.first, b.platform, b.name)
		if err == nil {
			return r.ID, nil
		}
		if !errdefs.IsConflict(err) {
			return "", err //nolint:wrapcheck // the caller says what it was doing
		}
		st, ierr := s.eng.api.ContainerInspect(ctx, b.name)
		if ierr == nil && st.Config != nil && ours(st.Config.Labels, b.config.Labels) {
			return st.ID, nil
		}
		if ierr == nil || !errdefs.IsNotFound(ierr) || n == adoptTries || pause(ctx, wait) != nil {
			return "", err //nolint:wrapcheck // the caller says what it was doing
		}
	}
}

// ours says whether an object has the labels that we give it. It may have more: a container has its image's as well.
func ours(have, want map[string]string) bool {
	n := 0
	for _, l := range []string{LabelRun, LabelTrial, LabelOwner, LabelService, LabelCache} {
		if want[l] == "" {
			continue
		}
		if have[l] != want[l] {
			return false
		}
		n++
	}
	return n > 0
}

// makeNetwork creates a network, or finds that an earlier request has whose answer was lost, and returns its id. A request that is made again too early
// makes a second one: names of networks are not unique, and engines look a container's networks up by name when it starts (20.10 does, whatever the container was
// created with). So each further try has a name of its own, except for the cached network, whose name is its purpose. All are removed by their labels.
// What was asked for and not answered the engine makes all the same, however late, and the more it has to make the slower it is: names counts such requests, and
// beyond a few of them no more are made, whatever the subnet. While one is under way its subnet is taken, so that a refusal is waited out before another is tried.
func (e *Engine) makeNetwork(ctx context.Context, names *[]string, opt network.CreateOptions) (id, subnet string, err error) {
	ctx, cancel := lingering(ctx, lingerFor)
	defer cancel()
	known := func() *network.Summary {
		for _, name := range *names {
			if n, err := e.networkFound(ctx, name, opt.Labels); err == nil && n != nil {
				return n
			}
		}
		return nil
	}
	for n, wait := 1, firstPause; ; n, wait = n+1, 3*wait {
		if len(*names) > 1 { // an earlier request may have made it after all
			if found := known(); found != nil {
				return found.ID, subnetOf(found), nil
			}
		}
		r, err := e.api.NetworkCreate(ctx, (*names)[len(*names)-1], opt)
		if err == nil {
			return r.ID, opt.IPAM.Config[0].Subnet, nil
		}
		if found := cameAbout(ctx, err, len(*names) > 1, known); found != nil {
			return found.ID, subnetOf(found), nil
		}
		if !errdefs.IsConflict(err) && !Passing(err) {
			return "", "", err //nolint:wrapcheck // the caller says what it was doing
		}
		if _, cached := opt.Labels[LabelCache]; !cached && Passing(err) {
			*names = append(*names, fmt.Sprintf("%s-%d", (*names)[0], len(*names)+1))
		}
		if !Passing(err) || len(*names) > callTries || n == callTries || pause(ctx, wait) != nil {
			return "", "", err //nolint:wrapcheck // the caller says what it was doing
		}
		e.retried(ctx)
	}
}

// cameAbout looks for what a request that failed, or an earlier one, has made all the same. Where the subnet is taken by an earlier one, that is waited for.
func cameAbout(ctx context.Context, err error, earlier bool, known func() *network.Summary) *network.Summary {
	switch {
	case errdefs.IsPermissionDenied(err) && earlier:
		return awaited(ctx, known)
	case errdefs.IsConflict(err), Passing(err):
		return known()
	}
	return nil
}

// awaited asks for a while whether what was not answered has come about.
func awaited(ctx context.Context, known func() *network.Summary) *network.Summary {
	for n, wait := 1, adoptPause; n < adoptTries; n, wait = n+1, 2*wait {
		if pause(ctx, wait) != nil {
			return nil
		}
		if found := known(); found != nil {
			return found
		}
	}
	return nil
}

func subnetOf(n *network.Summary) string {
	if len(n.IPAM.Config) == 0 {
		return ""
	}
	return n.IPAM.Config[0].Subnet
}

// networkNamed returns the id of a network with our labels, the oldest where there are several; empty = there is none.
func (e *Engine) networkNamed(ctx context.Context, name string, labels map[string]string) (string, error) {
	n, err := e.networkFound(ctx, name, labels)
	if n == nil {
		return "", err
	}
	return n.ID, err
}

func (e *Engine) networkFound(ctx context.Context, name string, labels map[string]string) (*network.Summary, error) {
	list, err := e.api.NetworkList(ctx, network.ListOptions{Filters: filters.NewArgs(filters.Arg("name", name))})
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	list = slices.DeleteFunc(list, func(n network.Summary) bool { return n.Name != name || !ours(n.Labels, labels) })
	if len(list) == 0 {
		return nil, nil //nolint:nilnil // there is none, which is no fault
	}
	oldest := slices.MinFunc(list, func(a, b network.Summary) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return &oldest, nil
}

// join connects a container to a network, unless an earlier request has.
func (s *Stack) join(ctx context.Context, name, id string, ep *network.EndpointSettings) error {
	err := s.eng.api.NetworkConnect(ctx, name, id, ep)
	if err == nil {
		return nil
	}
	if st, ierr := s.eng.api.ContainerInspect(ctx, id); ierr == nil && st.NetworkSettings != nil {
		for other, end := range st.NetworkSettings.Networks {
			if other == name || end != nil && end.NetworkID == name {
				return nil
			}
		}
	}
	return err //nolint:wrapcheck // the caller says what it was doing
}

// begin starts a new container exactly once: when the engine does not say that it has, what became of it is looked up first. A service that did its
// work and ended must not do it twice.
func (s *Stack) begin(ctx context.Context, id string) error {
	return s.beginUnless(ctx, id, func(st *container.State) bool {
		at, err := time.Parse(time.RFC3339Nano, st.StartedAt)
		return st.Running || err == nil && !at.IsZero()
	})
}

// beginAgain starts a container that has been stopped.
func (s *Stack) beginAgain(ctx context.Context, id string) error {
	return s.beginUnless(ctx, id, func(st *container.State) bool { return st.Running })
}

func (s *Stack) beginUnless(ctx context.Context, id string, begun func(*container.State) bool) error {
	wait := firstPause
	for n := 1; ; n++ {
		err := s.eng.api.ContainerStart(ctx, id, container.StartOptions{})
		if err == nil || !Passing(err) || ctx.Err() != nil {
			return err //nolint:wrapcheck // the caller says what it was doing
		}
		st, ierr := s.eng.api.ContainerInspect(ctx, id)
		switch {
		case ierr != nil:
			return fmt.Errorf("%w; and then: %w", err, ierr)
		case begun(st.State):
			return nil
		case st.State.Error != "" && !strings.Contains(st.State.Error, context.Canceled.Error()): // that is our own giving up
			return refused{err} // the engine tried, and says why it could not
		case n == callTries || pause(ctx, wait) != nil:
			return err //nolint:wrapcheck // the caller says what it was doing
		}
		wait *= 3
		s.eng.retried(ctx)
	}
}

// refused is the engine's definite answer, whatever its status.
type refused struct{ cause error }

func (r refused) Error() string { return r.cause.Error() }

// Is makes it an answer of the kind that no further try changes.
func (r refused) Is(target error) bool { return target == errdefs.ErrInvalidArgument }
