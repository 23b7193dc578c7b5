// Package cache keeps what is left from run to run within a budget: images that were made here, the engine's build cache, and commits of repositories.
package cache

import (
	"context"
	"time"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/task/checkout"
)

// Engine is what this package asks of a container engine; *sidecar.Engine has it.
type Engine interface {
	// StoredImages lists all images, whoever made them.
	StoredImages(ctx context.Context) ([]sidecar.StoredImage, error)
	// StoredBuilds lists the build cache without what images share with it.
	StoredBuilds(ctx context.Context) ([]sidecar.StoredBuild, error)
	// RemoveImage takes an image's names, and says whether it stays since a container is made of it.
	RemoveImage(ctx context.Context, tags []string) (kept bool, err error)
	// PruneBuilds removes build cache, the least recently used first, until so many bytes are left, and returns how many went. 0 = all goes.
	PruneBuilds(ctx context.Context, keep int64) (int64, error)
}

// Checkouts are the commits on this machine; *checkout.Store has them.
type Checkouts interface {
	List() ([]checkout.Kept, error)
	// Remove says whether a commit stays since a process uses it.
	Remove(k checkout.Kept) (kept bool, err error)
}

// Image is an image that was made here.
type Image struct {
	Digest string // of what it was made from
	Tags   []string
	Used   time.Time // last; where that is not known, when it was made
	InUse  bool      // by a container, or a process of this user on this host
	Layers []sidecar.StoredLayer
}

// Stock is all that is under the budget.
type Stock struct {
	Images    []Image
	Builds    []sidecar.StoredBuild
	Checkouts []checkout.Kept
	// Others are the layers that images of others have as well: they stay, whatever is removed, and count nothing.
	Others map[string]bool
}

// Sizes are bytes. A layer that several images have counts once.
type Sizes struct{ Images, Builds, Checkouts int64 }

// Sum is all of it.
func (s Sizes) Sum() int64 { return s.Images + s.Builds + s.Checkouts }

// Look finds out what there is. c may be nil.
func Look(ctx context.Context, e Engine, c Checkouts) (*Stock, error) {
	s := &Stock{Others: map[string]bool{}}
	list, err := e.StoredImages(ctx)
	if err != nil {
		return nil, err
	}
	for i := range list {
		l := &list[i]
		digest, ours := images.Made(l.Labels, l.Tags)
		if !ours {
			for _, layer := range l.Layers {
				s.Others[layer.Key] = true
			}
			continue
		}
		img := Image{Digest: digest, Tags: l.Tags, Used: l.Created, InUse: l.InUse, Layers: l.Layers}
		if err := img.look(); err != nil {
			return nil, err
		}
		s.Images = append(s.Images, img)
	}
	if s.Builds, err = e.StoredBuilds(ctx); err != nil {
		return nil, err
	}
	if c != nil {
		s.Checkouts, err = c.List()
	}
	return s, err
}

// look asks the processes on this host.
func (i *Image) look() error {
	at, err := images.LastUsed(i.Digest)
	if err != nil {
		return err
	}
	if !at.IsZero() {
		i.Used = at
	}
	done, err := images.Claim(i.Digest)
	if err != nil {
		return err
	}
	if done == nil {
		i.InUse = true
		return nil
	}
	done(false)
	return nil
}

// Sizes adds up.
func (s *Stock) Sizes() Sizes {
	var out Sizes
	for _, bytes := range s.layers() {
		out.Images += bytes
	}
	for i := range s.Builds {
		out.Builds += s.Builds[i].Bytes
	}
	for i := range s.Checkouts {
		out.Checkouts += s.Checkouts[i].Bytes
	}
	return out
}

// layers are those that count, each once.
func (s *Stock) layers() map[string]int64 {
	all := map[string]int64{}
	for i := range s.Images {
		for _, l := range s.Images[i].Layers {
			if !s.Others[l.Key] {
				all[l.Key] = l.Bytes
			}
		}
	}
	return all
}
