package orchestrator

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/distribution/reference"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/orchestrator/lockfile"
	"github.com/seatrial/seatrial/sidecar"
)

// ImageGoneError says that an image with which a trial ran is not on the engine any more and could not be had again.
type ImageGoneError struct {
	Service string
	Image   lockfile.Image
	Cause   error
}

func (e *ImageGoneError) Error() string {
	return fmt.Sprintf("the image of %s (%s, %s) is gone, and could not be had again: %v", e.Service, e.Image.Ref, e.Image.ID, e.Cause)
}

func (e *ImageGoneError) Unwrap() error { return e.Cause }

// held finds the images of a lock on an engine, and gets those again that are gone.
type held struct {
	conn  *sidecar.Engine
	store *images.Store
	notes *[]string
	log   io.Writer
}

func (h *held) note(format string, args ...any) {
	*h.notes = append(*h.notes, fmt.Sprintf(format, args...))
}

// inspected is the id of an image on the engine; empty when it has none of that name.
func (h *held) inspected(ctx context.Context, ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	r, err := h.conn.Client().ImageInspect(ctx, ref)
	switch {
	case errdefs.IsNotFound(err), errdefs.IsInvalidArgument(err): // a lock may hold anything
		return "", nil
	case err != nil:
		return "", fmt.Errorf("look for image %s: %w", ref, err)
	}
	return r.ID, nil
}

// get is the source of a service's image for the trial to come: the recorded image itself where the engine has it, whatever its tag has become, else what is made or pulled
// in its place.
func (h *held) get(ctx context.Context, service string, src Source, was lockfile.Image) (Source, error) {
	if src.Program || was.ID == "" {
		return src, nil
	}
	id, err := h.inspected(ctx, was.ID)
	if err != nil {
		return src, err
	}
	if id == was.ID {
		now, err := h.inspected(ctx, was.Ref)
		if err != nil {
			return src, err
		}
		switch {
		case now == "":
			h.note("%s, the image of %s, has no such name any more; it is used by its id", was.Ref, service)
		case now != was.ID:
			h.note("%s, the image of %s, is another one today (%s); the recorded one is used by its id", was.Ref, service, short(now))
		}
		return Source{Ref: was.ID, Policy: string(images.PullNever), Platform: src.Platform}, nil
	}
	if src.Build != nil {
		return h.rebuild(ctx, service, src, was)
	}
	return h.pull(ctx, service, src, was)
}

// rebuild builds an image that is gone from the recorded files and, as far as they can be had, the recorded base images.
func (h *held) rebuild(ctx context.Context, service string, src Source, was lockfile.Image) (Source, error) {
	r := *src.Build
	r.Log, r.Pins = h.log, map[string]string{}
	for _, b := range was.Bases {
		pin, err := h.base(ctx, service, b)
		if err != nil {
			return src, err
		}
		if pin != "" {
			r.Pins[b.Ref] = pin
		}
	}
	h.note("the image of %s is gone; it is built again from the recorded files", service)
	img, err := h.store.Build(ctx, r)
	if err != nil {
		return src, &ImageGoneError{Service: service, Image: was, Cause: err}
	}
	return Source{Ref: img.ID, Policy: string(images.PullNever), Platform: src.Platform}, nil
}

// base is the reference for a recorded base image in a build; empty when the name that the Dockerfile has for it leads to it, or is all that there is.
func (h *held) base(ctx context.Context, service string, b lockfile.Base) (string, error) {
	now, err := h.inspected(ctx, b.Ref)
	if err != nil || now == b.ID {
		return "", err
	}
	there, err := h.inspected(ctx, b.ID)
	if err != nil {
		return "", err
	}
	if there == b.ID {
		return h.tag(ctx, b.ID)
	}
	if b.Digest != "" {
		if named, err := reference.ParseNormalizedNamed(b.Ref); err == nil {
			return reference.TrimNamed(named).Name() + "@" + b.Digest, nil
		}
	}
	if now == "" {
		h.note("%s (%s), from which the image of %s was built, is gone", b.Ref, short(b.ID), service)
	} else {
		h.note("%s, from which the image of %s was built, is gone as it was (%s), and another one has its name (%s)", b.Ref, service, short(b.ID), short(now))
	}
	return "", nil
}

// pull gets an image that is gone by what a registry calls it, else by its name.
func (h *held) pull(ctx context.Context, service string, src Source, was lockfile.Image) (Source, error) {
	var first error
	for _, ref := range append(append([]string{}, was.RepoDigests...), src.Ref) {
		if ref == "" || strings.HasPrefix(ref, "sha256:") {
			continue
		}
		img, err := h.store.Take(ctx, images.Wanted{Ref: ref, Platform: src.Platform, Policy: images.PullMissing, Once: true, Log: h.log})
		if err == nil {
			h.note("the image of %s is gone; %s was taken in its place", service, ref)
			return Source{Ref: img.ID, Policy: string(images.PullNever), Platform: src.Platform}, nil
		}
		if ctx.Err() != nil {
			return src, context.Cause(ctx)
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = errdefs.ErrNotFound
	}
	return src, &ImageGoneError{Service: service, Image: was, Cause: first}
}

// tag gives an image a name by which a build finds it. It keeps that: for an image that has no other, to lose it would be to be removed.
func (h *held) tag(ctx context.Context, id string) (string, error) {
	_, digits, _ := strings.Cut(id, ":")
	ref := "seatrial/held:" + digits[:min(32, len(digits))]
	if err := h.conn.Client().ImageTag(ctx, id, ref); err != nil {
		return "", fmt.Errorf("name image %s: %w", id, err)
	}
	return ref, nil
}

// short is an id as people read it.
func short(id string) string {
	const digits = 12
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(digits, len(id))]
}
