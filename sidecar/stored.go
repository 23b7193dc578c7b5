package sidecar

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"golang.org/x/sync/errgroup"
)

// StoredImage is an image on the engine, and what it takes there.
type StoredImage struct {
	ID      string
	Tags    []string
	Labels  map[string]string
	Created time.Time
	// InUse says that there is a container of it, running or not.
	InUse  bool
	Layers []StoredLayer // of the lowest first; those without a size are left out
}

// StoredLayer is a layer of images. Images with the same history up to a layer share it.
type StoredLayer struct {
	Key   string
	Bytes int64
}

// StoredBuild is what the engine has kept of earlier builds.
type StoredBuild struct {
	ID    string
	Used  time.Time
	InUse bool // by a build
	Bytes int64
}

// StoredImages lists all images that have a name or could have one, whoever made them.
func (e *Engine) StoredImages(ctx context.Context) ([]StoredImage, error) {
	if _, err := e.Ping(ctx); err != nil {
		return nil, err
	}
	list, err := e.api.ImageList(ctx, image.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list images: %w", err)
	}
	used, err := e.api.ContainerList(ctx, container.ListOptions{All: true})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	inUse := map[string]bool{}
	for i := range used {
		inUse[used[i].ImageID] = true
	}
	out := make([]StoredImage, len(list))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := range list {
		l := &list[i]
		out[i] = StoredImage{ID: l.ID, Tags: l.RepoTags, Labels: l.Labels, Created: time.Unix(l.Created, 0), InUse: inUse[l.ID] || l.Containers > 0}
		g.Go(func() error {
			in, err := e.api.ImageInspect(ctx, l.ID)
			if errdefs.IsNotFound(err) {
				return nil // somebody has removed it meanwhile
			}
			if err != nil {
				return wrap(err, "look at image "+l.ID)
			}
			history, err := e.api.ImageHistory(ctx, l.ID)
			if errdefs.IsNotFound(err) {
				return nil
			}
			lowest := ""
			if len(in.RootFS.Layers) > 0 {
				lowest = in.RootFS.Layers[0]
			}
			out[i].Layers = layersOf(lowest, history)
			return wrap(err, "look at image "+l.ID)
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // wrapped above
	}
	return out, nil
}

// layersOf are the layers of a history, whose newest entry comes first. Engines do not say which entry made which layer: what is lowest, what came before, and when, tells
// them apart.
func layersOf(lowest string, history []image.HistoryResponseItem) []StoredLayer {
	var out []StoredLayer
	sum := sha256.New()
	fmt.Fprintln(sum, lowest)
	for _, h := range slices.Backward(history) {
		fmt.Fprintf(sum, "%d %d %q\n", h.Created, h.Size, h.CreatedBy)
		if h.Size > 0 {
			out = append(out, StoredLayer{Key: hex.EncodeToString(sum.Sum(nil)), Bytes: h.Size})
		}
	}
	return out
}

// StoredBuilds lists the build cache, without what images share with it.
func (e *Engine) StoredBuilds(ctx context.Context) ([]StoredBuild, error) {
	if _, err := e.Ping(ctx); err != nil {
		return nil, err
	}
	du, err := e.api.DiskUsage(ctx, types.DiskUsageOptions{Types: []types.DiskUsageObject{types.BuildCacheObject}})
	if err != nil {
		return nil, fmt.Errorf("ask for the size of the build cache: %w", err)
	}
	var out []StoredBuild
	for _, r := range du.BuildCache {
		if r == nil || r.Shared {
			continue
		}
		out = append(out, StoredBuild{ID: r.ID, Used: *cmp.Or(r.LastUsedAt, &r.CreatedAt), InUse: r.InUse, Bytes: max(0, r.Size)})
	}
	return out, nil
}
