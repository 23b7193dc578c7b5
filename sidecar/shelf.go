package sidecar

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"

	"github.com/seatrial/seatrial/internal/lock"
)

// digestDigits is how much of a digest names a shelf's volume.
const digestDigits = 16

// shelfMarker is written after a shelf's files; without it the volume may be half filled.
const shelfMarker = "complete"

// shelf is a volume that holds a program for containers, filled once per engine, named by the program's content and mounted read-only.
type shelf struct {
	volume, dir, kind string
	content           func() ([]shelfFile, error)
}

// shelfFile is one file of a shelf; the first is a program.
type shelfFile struct {
	name string
	data []byte
}

func (s shelf) mount() mount.Mount {
	return mount.Mount{Type: mount.TypeVolume, Source: s.volume, Target: s.dir, ReadOnly: true,
		VolumeOptions: &mount.VolumeOptions{NoCopy: true, Labels: map[string]string{LabelCache: s.kind}}}
}

// fill fills a shelf that the created container has mounted, unless it is full. It is read-only there, so a short-lived second container that is never
// started takes the file.
func (e *Engine) fill(ctx context.Context, id string, s shelf) error {
	e.shelves.Lock()
	defer e.shelves.Unlock()
	if there, err := e.isFull(ctx, id, s); there || err != nil {
		return err
	}
	unlock, err := lock.Hold(ctx, nil, "shelf", e.host.Address, s.volume)
	if err != nil {
		return fmt.Errorf("wait for another process that fills volume %s: %w", s.volume, err)
	}
	defer unlock()
	if there, err := e.isFull(ctx, id, s); there || err != nil {
		return err // another process was faster
	}
	st, err := e.api.ContainerInspect(ctx, id)
	if err != nil {
		return fmt.Errorf("look at the container: %w", err)
	}
	files, err := s.content()
	if err != nil {
		return err
	}
	m := s.mount()
	m.ReadOnly = false
	labels := map[string]string{LabelRun: st.Config.Labels[LabelRun], LabelTrial: st.Config.Labels[LabelTrial], LabelOwner: st.Config.Labels[LabelOwner]}
	making, cancel := lingering(ctx, lingerFor)
	defer cancel()
	c, err := e.api.ContainerCreate(making, &container.Config{Image: st.Image, Labels: labels, Entrypoint: []string{s.dir + "/" + files[0].name}},
		&container.HostConfig{NetworkMode: "none", Mounts: []mount.Mount{m}}, nil, nil, "")
	if err != nil {
		return fmt.Errorf("fill volume %s: %w", s.volume, err)
	}
	for _, f := range append(files, shelfFile{shelfMarker, []byte(s.volume + "\n")}) {
		err = Again(ctx, func() { e.retried(ctx) }, func() error {
			return e.api.CopyToContainer(ctx, c.ID, s.dir, tarFile(f.name, f.data), container.CopyToContainerOptions{})
		})
		if err != nil {
			err = fmt.Errorf("fill volume %s: %w", s.volume, err)
			break
		}
	}
	return errors.Join(err, e.removeContainer(context.WithoutCancel(ctx), c.ID))
}

// isFull looks for the marker.
func (e *Engine) isFull(ctx context.Context, id string, s shelf) (bool, error) {
	_, err := e.api.ContainerStatPath(ctx, id, s.dir+"/"+shelfMarker)
	switch {
	case err == nil:
		return true, nil
	case errdefs.IsNotFound(err), missing(err):
		return false, nil
	}
	return false, fmt.Errorf("look into volume %s: %w", s.volume, err)
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
