package images_test

import (
	"context"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"golang.org/x/sys/unix"

	"github.com/seatrial/seatrial/images"
)

// inspectHook does something each time before an image is looked for.
type inspectHook struct {
	images.Engine
	hook func(ref string)
}

func (i *inspectHook) ImageInspect(ctx context.Context, ref string, o ...client.ImageInspectOption) (image.InspectResponse, error) {
	i.hook(ref)
	return i.Engine.ImageInspect(ctx, ref, o...)
}

func makeFIFO(path string) error { return unix.Mkfifo(path, 0o600) }
