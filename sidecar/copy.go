package sidecar

import (
	"context"
	"fmt"
	"io"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
)

// Put extracts a tar stream below the folder dir of a service's container. It works on containers that are not running, too.
func (s *Stack) Put(ctx context.Context, service, dir string, tar io.Reader) error {
	ctx, cancel := s.With(ctx)
	defer cancel()
	err := s.eng.api.CopyToContainer(ctx, s.ID(service), dir, tar, container.CopyToContainerOptions{})
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("put files into %s of service %s: %w", dir, service, err)
	}
	return nil
}

// Fetch opens a tar stream of a file or folder of a service's container; its entries begin with the path's last element. It is read from the
// container's own view, so that no link leads outside it. A missing path is a not-found error of containerd/errdefs.
func (s *Stack) Fetch(ctx context.Context, service, path string) (io.ReadCloser, error) {
	rc, _, err := s.eng.api.CopyFromContainer(ctx, s.ID(service), path)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("fetch %s from service %s: %w", path, service, err)
	}
	return ctxReader{ctx: ctx.Done(), rc: rc, stop: context.AfterFunc(ctx, func() { _ = rc.Close() })}, nil
}

// Exists says whether a service's container has a file or folder of that path. It runs nothing in the container.
func (s *Stack) Exists(ctx context.Context, service, path string) (bool, error) {
	ctx, cancel := s.With(ctx)
	defer cancel()
	_, err := s.eng.api.ContainerStatPath(ctx, s.ID(service), path)
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errdefs.IsNotFound(err):
		return false, nil
	}
	return false, fmt.Errorf("look for %s in service %s: %w", path, service, err)
}

// ctxReader closes its stream at the end of a context, which by itself does not end a read.
type ctxReader struct {
	ctx  <-chan struct{}
	rc   io.ReadCloser
	stop func() bool
}

func (r ctxReader) Read(p []byte) (int, error) { return r.rc.Read(p) } //nolint:wrapcheck // a reader hands errors on
func (r ctxReader) Close() error {
	r.stop()
	return r.rc.Close() //nolint:wrapcheck // a reader hands errors on
}
