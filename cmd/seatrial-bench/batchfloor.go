package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"golang.org/x/sync/errgroup"
)

// together does the bare calls of count trials, parallel at a time, in the mix that batchTasks makes, and returns the trials a second.
func (f *floor) together(ctx context.Context, count, parallel int) (float64, error) {
	started := time.Now()
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range parallel {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				if err := f.oneOf(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, fmt.Errorf("the floor: %w", err)
	}
	return float64(count) / time.Since(started).Seconds(), nil
}

func (f *floor) oneOf(ctx context.Context, i int) error {
	if !withSidecar(i) {
		_, err := f.sequence(ctx, f.network)
		return err
	}
	// The rest of the subnets of a /16 that nothing else here uses: the engine's own are few.
	n, err := f.api.NetworkCreate(ctx, fmt.Sprintf("seatrial-bench-%d", i), network.CreateOptions{Driver: "bridge",
		IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: fmt.Sprintf("10.188.%d.0/24", i%250)}}}})
	if err != nil {
		return fmt.Errorf("network: %w", err)
	}
	done := context.WithoutCancel(ctx)
	err = func() error {
		id, err := f.create(ctx, n.ID)
		if err != nil {
			return fmt.Errorf("sidecar: %w", err)
		}
		err = f.api.ContainerStart(ctx, id, container.StartOptions{})
		if err == nil {
			_, err = f.sequence(ctx, n.ID)
		}
		return errors.Join(err, f.remove(done, id))
	}()
	return errors.Join(err, f.api.NetworkRemove(done, n.ID))
}
