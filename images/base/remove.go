package base

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"

	"github.com/seatrial/seatrial/images"
)

func removeContainer(ctx context.Context, e containers, id string) error {
	err := e.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("removing the container %s of a half-made image: %w", id, err)
	}
	return nil
}

func removeImage(ctx context.Context, e importer, ref string) error {
	_, err := e.ImageRemove(ctx, ref, image.RemoveOptions{Force: true, PruneChildren: true})
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("removing the half-made image %s: %w", ref, err)
	}
	return nil
}

// removeOld removes the image that a new one took the name from, unless it has
// another name or something is made from it.
func removeOld(ctx context.Context, e Engine, id string) error {
	found, err := e.ImageInspect(ctx, id)
	if errdefs.IsNotFound(err) || err == nil && (len(found.RepoTags) > 0 || found.Config == nil || found.Config.Labels[images.CacheLabel] != "base") {
		return nil
	}
	if err == nil {
		_, err = e.ImageRemove(ctx, id, image.RemoveOptions{})
	}
	if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
		return fmt.Errorf("removing the image that was replaced: %w", err)
	}
	return nil
}

// quoted writes a command in the JSON form of a Dockerfile's CMD.
func quoted(command []string) string {
	text, err := json.Marshal(command)
	if err != nil {
		return "[]" // strings always marshal
	}
	return string(text)
}
