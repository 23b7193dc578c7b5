package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/client"
)

// floor is the bare sequence of engine calls that a trial needs.
type floor struct {
	api     *client.Client
	version string
	network string
	image   string
	dir     string
	plain   float64
}

func newFloor(ctx context.Context) (*floor, error) {
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	v, err := api.ServerVersion(ctx)
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	dir, err := os.MkdirTemp("", "seatrial-bench-")
	if err != nil {
		return nil, fmt.Errorf("folder for records: %w", err)
	}
	f := &floor{api: api, version: v.Version, dir: dir}
	n, err := api.NetworkCreate(ctx, "seatrial-bench", network.CreateOptions{Driver: "bridge", Labels: map[string]string{"dev.seatrial.cache": "bench"},
		Options: map[string]string{"com.docker.network.bridge.enable_icc": "false"},
		IPAM:    &network.IPAM{Config: []network.IPAMConfig{{Subnet: "10.188.255.0/24"}}}})
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	f.network = n.ID
	return f, nil
}

func (f *floor) close(ctx context.Context) {
	_ = f.api.NetworkRemove(ctx, f.network)
	_ = os.RemoveAll(f.dir)
}

// once measures the sequence on the network that a trial is on, and after the first time also on the default bridge.
func (f *floor) once(ctx context.Context) (float64, error) {
	if f.plain == 0 {
		var all []float64
		for range 5 {
			d, err := f.sequence(ctx, "bridge")
			if err != nil {
				return 0, err
			}
			all = append(all, d)
		}
		f.plain = median(all)
	}
	return f.sequence(ctx, f.network)
}

func (f *floor) sequence(ctx context.Context, net string) (float64, error) {
	started := time.Now()
	c, err := f.api.ContainerCreate(ctx, &container.Config{Image: f.image, Entrypoint: []string{"sleep", "600"}}, &container.HostConfig{NetworkMode: container.NetworkMode(net)}, nil, nil, "")
	if err != nil {
		return 0, err //nolint:wrapcheck // the caller says what was measured
	}
	defer f.api.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true}) //nolint:errcheck // it is gone already when all went well
	if err := f.api.ContainerStart(ctx, c.ID, container.StartOptions{}); err != nil {
		return 0, err //nolint:wrapcheck // likewise
	}
	for _, name := range []string{"solution", "tests"} {
		if err := f.api.CopyToContainer(ctx, c.ID, "/", script(name), container.CopyToContainerOptions{}); err != nil {
			return 0, err //nolint:wrapcheck // likewise
		}
		e, err := f.api.ContainerExecCreate(ctx, c.ID, container.ExecOptions{AttachStdout: true, AttachStderr: true, Cmd: []string{"/" + name + "/run.sh"}})
		if err != nil {
			return 0, err //nolint:wrapcheck // likewise
		}
		h, err := f.api.ContainerExecAttach(ctx, e.ID, container.ExecAttachOptions{})
		if err != nil {
			return 0, err //nolint:wrapcheck // likewise
		}
		_, _ = io.Copy(io.Discard, h.Reader)
		h.Close()
	}
	rc, _, err := f.api.CopyFromContainer(ctx, c.ID, "/tests")
	if err != nil {
		return 0, err //nolint:wrapcheck // likewise
	}
	_, _ = io.Copy(io.Discard, rc)
	_ = rc.Close()
	if err := f.api.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true, RemoveVolumes: true}); err != nil {
		return 0, err //nolint:wrapcheck // likewise
	}
	return time.Since(started).Seconds(), nil
}

func script(name string) io.Reader {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	body := "#!/bin/sh\necho done >/" + name + "/out\n"
	_ = w.WriteHeader(&tar.Header{Name: name + "/", Typeflag: tar.TypeDir, Mode: 0o755})
	_ = w.WriteHeader(&tar.Header{Name: name + "/run.sh", Mode: 0o755, Size: int64(len(body))})
	_, _ = io.WriteString(w, body)
	_ = w.Close()
	return &b
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}
