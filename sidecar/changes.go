package sidecar

import (
	"context"
	"fmt"
	"io"

	"github.com/docker/docker/api/types/container"
)

// Change is a path of a container that is not as its image has it.
type Change struct {
	Path    string
	Removed bool
}

// Changes lists what is not as the image has it in a service's container, volumes and other mounts aside.
func (s *Stack) Changes(ctx context.Context, service string) ([]Change, error) {
	ctx, cancel := s.With(ctx)
	defer cancel()
	list, err := s.eng.api.ContainerDiff(ctx, s.ID(service))
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("list what has changed in service %s: %w", service, err)
	}
	out := make([]Change, len(list))
	for i, c := range list {
		out[i] = Change{Path: c.Path, Removed: c.Kind == container.ChangeDelete}
	}
	return out, nil
}

// Restore extracts a tar stream at the root of a service's container, as Put does, and replaces files by folders and folders by files where the stream has them.
func (s *Stack) Restore(ctx context.Context, service string, tar io.Reader) error {
	ctx, cancel := s.With(ctx)
	defer cancel()
	err := s.eng.api.CopyToContainer(ctx, s.ID(service), "/", tar, container.CopyToContainerOptions{AllowOverwriteDirWithFile: true})
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("put an end state into service %s: %w", service, err)
	}
	return nil
}
