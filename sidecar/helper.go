package sidecar

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"

	"github.com/seatrial/seatrial/internal/lock"
	"github.com/seatrial/seatrial/sidecar/shim"
)

type helperState struct{ mu sync.Mutex }

// helperMarker is written after the helper; without it the volume may be half filled.
const helperMarker = "complete"

// helperDigest names the helper for an architecture by its content.
func helperDigest(arch string) (string, error) {
	digest, err := shim.Digest(arch)
	if err != nil {
		return "", err
	}
	return digest[:16], nil
}

// fillHelper puts the helper into the volume that the created container has it on, unless it is there. The volume is mounted read-only in the
// container, so a short-lived second one that is never started takes the files.
func (e *Engine) fillHelper(ctx context.Context, id, digest string) error {
	e.helper.mu.Lock()
	defer e.helper.mu.Unlock()
	if there, err := e.hasHelper(ctx, id); there || err != nil {
		return err
	}
	unlock, err := lock.Hold(ctx, nil, "helper", e.host.Address, digest)
	if err != nil {
		return fmt.Errorf("wait for another process that fills the helper's volume: %w", err)
	}
	defer unlock()
	if there, err := e.hasHelper(ctx, id); there || err != nil {
		return err // another process was faster
	}
	st, err := e.api.ContainerInspect(ctx, id)
	if err != nil {
		return fmt.Errorf("look at the container: %w", err)
	}
	bin, err := shim.Binary(e.info.Arch)
	if err != nil {
		return err
	}
	m := helperMount(digest)
	m.ReadOnly = false
	labels := map[string]string{LabelRun: st.Config.Labels[LabelRun], LabelTrial: st.Config.Labels[LabelTrial], LabelOwner: st.Config.Labels[LabelOwner]}
	c, err := e.api.ContainerCreate(ctx, &container.Config{Image: st.Image, Labels: labels, Entrypoint: []string{shim.Path}},
		&container.HostConfig{NetworkMode: "none", Mounts: []mount.Mount{m}}, nil, nil, "")
	if err != nil {
		return fmt.Errorf("fill the helper's volume: %w", err)
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"shim", bin}, {helperMarker, []byte(digest + "\n")}} {
		if err = e.api.CopyToContainer(ctx, c.ID, shim.Dir, tarFile(f.name, f.data), container.CopyToContainerOptions{}); err != nil {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("fill the helper's volume: %w", err)
	}
	return errors.Join(err, e.removeContainer(context.WithoutCancel(ctx), c.ID))
}

// hasHelper looks for the marker.
func (e *Engine) hasHelper(ctx context.Context, id string) (bool, error) {
	_, err := e.api.ContainerStatPath(ctx, id, shim.Dir+"/"+helperMarker)
	switch {
	case err == nil:
		return true, nil
	case errdefs.IsNotFound(err), missing(err):
		return false, nil
	}
	return false, fmt.Errorf("look for the in-container helper: %w", err)
}

// missing covers engines that answer 400 or 500 when a path's parent is not there (a volume that is not mounted yet).
func missing(err error) bool {
	return errdefs.IsInvalidArgument(err) || errdefs.IsInternal(err) || strings.Contains(err.Error(), "no such file")
}

func tarFile(name string, data []byte) *bytes.Reader {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	_ = w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(data))})
	_, _ = w.Write(data) // a bytes.Buffer takes everything
	_ = w.Close()
	return bytes.NewReader(b.Bytes())
}
