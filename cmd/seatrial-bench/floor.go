package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/client"
	"golang.org/x/sync/errgroup"
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
	id, err := f.create(ctx, net)
	if err != nil {
		return 0, err
	}
	defer f.remove(ctx, id) //nolint:errcheck // it is gone already when all went well
	if err := f.api.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return 0, err //nolint:wrapcheck // the caller says what was measured
	}
	for _, name := range []string{"solution", "tests"} {
		if err := f.api.CopyToContainer(ctx, id, "/", script(name), container.CopyToContainerOptions{}); err != nil {
			return 0, err //nolint:wrapcheck // likewise
		}
		e, err := f.api.ContainerExecCreate(ctx, id, container.ExecOptions{AttachStdout: true, AttachStderr: true, Cmd: []string{"/" + name + "/run.sh"}})
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
	rc, _, err := f.api.CopyFromContainer(ctx, id, "/tests")
	if err != nil {
		return 0, err //nolint:wrapcheck // likewise
	}
	_, _ = io.Copy(io.Discard, rc)
	_ = rc.Close()
	if err := f.remove(ctx, id); err != nil {
		return 0, err
	}
	return time.Since(started).Seconds(), nil
}

// create makes a container that would run for a while.
func (f *floor) create(ctx context.Context, net string) (id string, err error) {
	c, err := f.api.ContainerCreate(ctx, &container.Config{Image: f.image, Entrypoint: []string{"sleep", "600"}}, &container.HostConfig{NetworkMode: container.NetworkMode(net)}, nil, nil, "")
	return c.ID, err //nolint:wrapcheck // the caller says what was measured
}

func (f *floor) remove(ctx context.Context, id string) error {
	return f.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true}) //nolint:wrapcheck // likewise
}

// pair measures the bare calls for some containers beside each other, in seconds: several in a network of their own, one alone in the shared one. What a failure leaves is removed.
func (f *floor) pair(ctx context.Context, count int) (float64, error) {
	started := time.Now()
	net, ids := f.network, make([]string, count)
	if count > 1 {
		n, err := f.api.NetworkCreate(ctx, "seatrial-bench-pair", network.CreateOptions{Driver: "bridge",
			IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: "10.188.254.0/24"}}}})
		if err != nil {
			return 0, fmt.Errorf("network: %w", err)
		}
		net = n.ID
	}
	all := func(ctx context.Context, do func(context.Context, int) error) error {
		g, ctx := errgroup.WithContext(ctx)
		for i := range ids {
			g.Go(func() error { return do(ctx, i) })
		}
		return g.Wait()
	}
	err := all(ctx, func(ctx context.Context, i int) (err error) {
		ids[i], err = f.create(ctx, net)
		return err
	})
	if err == nil {
		err = all(ctx, func(ctx context.Context, i int) error {
			return f.api.ContainerStart(ctx, ids[i], container.StartOptions{})
		})
	}
	done := context.WithoutCancel(ctx)
	err = errors.Join(err, all(done, func(ctx context.Context, i int) error {
		if ids[i] == "" {
			return nil
		}
		return f.remove(ctx, ids[i])
	}))
	if count > 1 {
		err = errors.Join(err, f.api.NetworkRemove(done, net))
	}
	return time.Since(started).Seconds(), err
}

// beside is how much longer the bare calls take for a second container and a network for both, in seconds.
func (f *floor) beside(ctx context.Context, rounds int) (float64, error) {
	var one, two []float64
	for range rounds {
		for count, all := range map[int]*[]float64{1: &one, 2: &two} {
			d, err := f.pair(ctx, count)
			if err != nil {
				return 0, fmt.Errorf("the floor of a second container: %w", err)
			}
			*all = append(*all, d)
		}
	}
	return median(two) - median(one), nil
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
