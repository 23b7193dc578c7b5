// Package leftover lists what a run has on an engine, by the run's label. It asks the engine itself and shares no code with the program's own sweep, which it
// is there to check. It is for tests.
package leftover

import (
	"context"
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"
)

// Label is the key of the label that bears the run's id. It stands here by itself so that a slip in the program's own is seen.
const Label = "dev.seatrial.run"

// Filter matches what bears the run's label.
func Filter(run string) filters.Args {
	return filters.NewArgs(filters.Arg("label", Label+"="+run))
}

// Of lists what bears the run's label: containers in all states, networks, volumes. Each is its kind and name. The errors are the engine's.
func Of(ctx context.Context, engine client.APIClient, run string) ([]string, error) {
	f := Filter(run)
	cs, err := engine.ContainerList(ctx, container.ListOptions{All: true, Filters: f})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	ns, err := engine.NetworkList(ctx, network.ListOptions{Filters: f})
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	vs, err := engine.VolumeList(ctx, volume.ListOptions{Filters: f})
	if err != nil {
		return nil, fmt.Errorf("list volumes: %w", err)
	}
	var out []string
	for _, c := range cs {
		out = append(out, "container "+strings.Join(c.Names, ",")+" ("+c.State+")")
	}
	for _, n := range ns {
		out = append(out, "network "+n.Name)
	}
	for _, v := range vs.Volumes {
		out = append(out, "volume "+v.Name)
	}
	return out, nil
}
