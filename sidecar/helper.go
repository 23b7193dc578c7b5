package sidecar

import (
	"context"
	"fmt"

	"github.com/docker/docker/api/types/mount"

	"github.com/seatrial/seatrial/sidecar/shim"
)

// helperDigest names the helper for an architecture by its content.
func helperDigest(arch string) (string, error) {
	digest, err := shim.Digest(arch)
	if err != nil {
		return "", err
	}
	return digest[:digestDigits], nil
}

// helperShelf is the volume that holds the helper.
func helperShelf(arch, digest string) shelf {
	return shelf{volume: helperVolume + digest, dir: shim.Dir, kind: "helper", content: func() ([]shelfFile, error) {
		bin, err := shim.Binary(arch)
		return []shelfFile{{"shim", bin}}, err
	}}
}

// helperMount gives a container the helper, read-only.
func helperMount(digest string) mount.Mount {
	return shelf{volume: helperVolume + digest, dir: shim.Dir, kind: "helper"}.mount()
}

// fillHelper puts the helper into the volume that the created container has it on, unless it is there.
func (e *Engine) fillHelper(ctx context.Context, id, digest string) error {
	info, err := e.Ping(ctx)
	if err != nil {
		return err
	}
	if err := e.fill(ctx, id, helperShelf(info.Arch, digest)); err != nil {
		return fmt.Errorf("the in-container helper: %w", err)
	}
	return nil
}
