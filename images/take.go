package images

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/containerd/platforms"
)

// Take returns the image of a reference. Where the engine has it and the policy
// is PullMissing no registry is asked. Equal pulls at the same time are one. A
// registry's rate limit is waited out as long as the context lasts. Errors:
// *PullError, the context's cause, and the engine's.
func (s *Store) Take(ctx context.Context, w Wanted) (Image, error) {
	start := time.Now()
	if w.Policy != PullAlways {
		img, ok, err := s.held(ctx, w)
		if err == nil && !ok && w.Policy == PullNever {
			err = &PullError{Ref: w.Ref, Reason: NotPulled, Cause: errdefs.ErrNotFound}
		}
		if ok || err != nil {
			img.Seconds = time.Since(start).Seconds()
			return img, err
		}
	}
	e := &ear{log: w.Log, progress: w.Progress}
	key := strings.Join([]string{w.Ref, w.Platform, fmt.Sprint(w.Once)}, "\x00")
	img, err := s.pulls.do(ctx, key, e, func(ctx context.Context, out *fan) (Image, error) {
		if err := s.pull(ctx, w, out); err != nil {
			return Image{}, err
		}
		img, ok, err := s.local(ctx, w)
		if err == nil && !ok {
			err = &BrokenError{Doing: "the pull of " + w.Ref, Cause: errors.New("it says that it has the image, and does not")}
			if w.Platform != "" {
				err = &PullError{Ref: w.Ref, Reason: NotFound, Cause: fmt.Errorf("what came is not for %s", w.Platform)}
			}
		}
		if err != nil {
			return Image{}, err
		}
		img.Pulled = true
		return img, nil
	})
	img.Seconds = time.Since(start).Seconds()
	return img, err
}

// held is local; an image that was made here is kept from then on until it is done with.
func (s *Store) held(ctx context.Context, w Wanted) (Image, bool, error) {
	img, ok, err := s.local(ctx, w)
	if err != nil || !ok || img.Digest == "" {
		return img, ok, err
	}
	img, err = use(ctx, img.Digest, func() (Image, error) {
		img, ok, err := s.local(ctx, w)
		if !ok {
			return Image{}, err
		}
		return img, err
	})
	return img, err == nil && img.ID != "", err
}

// local looks on the engine alone. An image for another platform than asked for
// is none.
func (s *Store) local(ctx context.Context, w Wanted) (Image, bool, error) {
	found, err := s.engine.ImageInspect(ctx, w.Ref)
	if errdefs.IsNotFound(err) {
		return Image{}, false, nil
	}
	if err != nil {
		return Image{}, false, fmt.Errorf("looking for the image %s: %w", w.Ref, err)
	}
	img := imageOf(w.Ref, found)
	if w.Platform == "" {
		return img, true, nil
	}
	want, err := platforms.Parse(w.Platform)
	if err != nil {
		return Image{}, false, fmt.Errorf("the platform of %s: %w", w.Ref, err)
	}
	is := platforms.Normalize(platforms.Platform{OS: found.Os, Architecture: found.Architecture, Variant: found.Variant})
	return img, platforms.Only(want).Match(is), nil
}
