package images

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"
)

// Carrier is what taking images from one engine to another asks of them; *client.Client of github.com/docker/docker has it.
type Carrier interface {
	ImageSave(ctx context.Context, ids []string, options ...client.ImageSaveOption) (io.ReadCloser, error)
	ImageLoad(ctx context.Context, input io.Reader, options ...client.ImageLoadOption) (image.LoadResponse, error)
}

// Transfer takes images from and to an engine.
type Transfer struct{ Engine Carrier }

// Save streams images as an archive that Load takes, with their layers and without names.
func (t Transfer) Save(ctx context.Context, ids []string) (io.ReadCloser, error) {
	rc, err := t.Engine.ImageSave(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("save images: %w", err)
	}
	return rc, nil
}

// Load gives the images of an archive to the engine, and returns when it has them.
func (t Transfer) Load(ctx context.Context, archive io.Reader) error {
	r, err := t.Engine.ImageLoad(ctx, archive, client.ImageLoadWithQuiet(true))
	if err != nil {
		return fmt.Errorf("load images: %w", err)
	}
	defer r.Body.Close()
	if !r.JSON {
		_, err = io.Copy(io.Discard, r.Body)
	} else {
		err = jsonmessage.DisplayJSONMessagesStream(r.Body, io.Discard, 0, false, nil)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("load images: %w", err)
	}
	return nil
}
