package images

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/containerd/errdefs"

	"github.com/seatrial/seatrial/internal/lock"
)

// errChanged is the cause where files changed between being asked for and being built.
var errChanged = errors.New("it changed since the build was asked for")

// Build returns the image of a Dockerfile. If the engine has it already, that is
// found out with one question to it. Else it is built once, however many ask at
// the same time in this process or another; all get the one image or the one
// failure. When the context ends the build on the engine is ended, unless others
// wait for it. Errors: *ContextError for what cannot be read, *BuildError for a
// build that failed, the context's cause, and the engine's.
func (s *Store) Build(ctx context.Context, r Request) (Image, error) {
	start := time.Now()
	d, err := open(r)
	if err != nil {
		return Image{}, err
	}
	defer d.close()
	digest, err := d.digest(ctx)
	if err != nil {
		return Image{}, err
	}
	img, err := use(ctx, digest, func() (Image, error) { return s.build(ctx, r, digest) })
	img.Seconds = time.Since(start).Seconds()
	return img, err
}

// build finds or makes the image of a digest.
func (s *Store) build(ctx context.Context, r Request, digest string) (Image, error) {
	tag := Tag(r.Name, digest)
	if !r.Force {
		if img, ok, err := s.built(ctx, tag, digest); ok || err != nil {
			return img, err
		}
	}
	e := &ear{log: r.Log, progress: r.Progress}
	return s.builds.do(ctx, fmt.Sprint(tag, r.Force), e, func(ctx context.Context, out *fan) (Image, error) {
		return s.make(ctx, r, digest, out)
	})
}

// make builds under the lock that is shared with other processes. It reads the
// context anew, for the one who asked first may be gone.
func (s *Store) make(ctx context.Context, r Request, digest string, out *fan) (Image, error) {
	tag := Tag(r.Name, digest)
	info, err := s.engine.Info(ctx)
	if err != nil {
		return Image{}, fmt.Errorf("asking the engine who it is: %w", err)
	}
	waiting := func() {
		out.printf("another process builds %s, waiting\n", tag)
		out.tell(Event{Kind: Waiting, Step: "another process, which builds " + tag})
	}
	release, err := lock.Hold(ctx, waiting, "image", info.ID, digest)
	if err != nil {
		return Image{}, err
	}
	defer release()
	if !r.Force {
		if img, ok, err := s.built(ctx, tag, digest); ok || err != nil {
			return img, err
		}
	}
	d, err := open(r)
	if err != nil {
		return Image{}, err
	}
	defer d.close()
	if now, err := d.digest(ctx); err != nil {
		return Image{}, err
	} else if now != digest { // else the image would be taken for what it is not, today and later
		return Image{}, &ContextError{Path: r.Context, Cause: errChanged}
	}
	err = unbroken(ctx, func() error { return solve(ctx, s.engine, d, tag, digest, out) })
	if err != nil {
		return Image{}, err
	}
	img, ok, err := s.built(ctx, tag, digest)
	if err == nil && !ok {
		err = fmt.Errorf("the engine says that it built %s, but does not have it", tag)
	}
	if err != nil {
		return Image{}, err
	}
	img.Built = true
	return img, nil
}

// built looks for the image of a digest. A tag that bears another image is none.
func (s *Store) built(ctx context.Context, tag, digest string) (Image, bool, error) {
	found, err := s.engine.ImageInspect(ctx, tag)
	if errdefs.IsNotFound(err) {
		return Image{}, false, nil
	}
	if err != nil {
		return Image{}, false, fmt.Errorf("looking for the image %s: %w", tag, err)
	}
	img := imageOf(tag, found)
	return img, img.Digest == digest, nil
}
