package images

import (
	"context"
	"io"
	"net"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
)

// Engine is what this package asks of a container engine; *client.Client of
// github.com/docker/docker has it. All of it may be called at the same time.
type Engine interface {
	// ImageInspect describes an image; a missing one is a not-found error of containerd/errdefs.
	ImageInspect(ctx context.Context, ref string, options ...client.ImageInspectOption) (image.InspectResponse, error)
	// ImagePull starts a pull, whose progress and outcome is a stream of JSON.
	ImagePull(ctx context.Context, ref string, options image.PullOptions) (io.ReadCloser, error)
	// Info tells which engine it is.
	Info(ctx context.Context) (system.Info, error)
	// DialHijack opens a raw connection to BuildKit in the engine.
	DialHijack(ctx context.Context, url, proto string, meta map[string][]string) (net.Conn, error)
}
