package cache

import (
	"cmp"
	"slices"
	"time"

	"github.com/seatrial/seatrial/task/checkout"
)

// Kind is what an item is.
type Kind string

// The kinds.
const (
	KindImage    Kind = "image"
	KindBuilds   Kind = "build cache"
	KindCheckout Kind = "checkout"
)

// Item is something to be removed.
type Item struct {
	Kind  Kind
	Name  string    // an image's first, or a checkout's folder
	Bytes int64     // that its removal gives back; of an image: when those before it are gone
	Used  time.Time // last; of the build cache: of the newest part that goes

	image  *Image
	commit checkout.Kept
}

// builds is the name of the build cache.
const builds = "of the engine"

// String is the item in words.
func (i Item) String() string { return string(i.Kind) + " " + i.Name }

// candidate is something that can be removed by itself.
type candidate struct {
	Item
	build bool
}

// Choose says what is to be removed, least recently used first, so that at most keep bytes are left, or as near to that as what is in use lets it. Build cache, of which the engine itself
// takes what was not used for longest, is one item at the end.
func Choose(s *Stock, keep int64) []Item {
	left, layers := s.Sizes().Sum(), s.layers()
	holders := map[string]int{}
	for i := range s.Images {
		for _, l := range s.Images[i].Layers {
			holders[l.Key]++
		}
	}
	var out []Item
	all := Item{Kind: KindBuilds, Name: builds}
	for _, c := range s.candidates() {
		if left <= keep && keep > 0 {
			break
		}
		if c.image != nil {
			for _, l := range c.image.Layers {
				if holders[l.Key]--; holders[l.Key] == 0 {
					c.Bytes += layers[l.Key]
				}
			}
		}
		left -= c.Bytes
		if c.build {
			all.Bytes, all.Used = all.Bytes+c.Bytes, c.Used
			continue
		}
		out = append(out, c.Item)
	}
	if all.Bytes > 0 {
		out = append(out, all)
	}
	return out
}

// candidates are all that nobody uses, the least recently used first.
func (s *Stock) candidates() []candidate {
	var all []candidate
	for i := range s.Images {
		if img := &s.Images[i]; !img.InUse {
			all = append(all, candidate{Item: Item{Kind: KindImage, Name: img.Tags[0], Used: img.Used, image: img}})
		}
	}
	for _, b := range s.Builds {
		if !b.InUse {
			all = append(all, candidate{Item: Item{Kind: KindBuilds, Name: b.ID, Bytes: b.Bytes, Used: b.Used}, build: true})
		}
	}
	for _, k := range s.Checkouts {
		if !k.InUse {
			all = append(all, candidate{Item: Item{Kind: KindCheckout, Name: k.Dir, Bytes: k.Bytes, Used: k.Used, commit: k}})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.Name, b.Name)) })
	return all
}
