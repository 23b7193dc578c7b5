package cache

import (
	"context"
	"errors"

	"github.com/seatrial/seatrial/images"
	"github.com/seatrial/seatrial/sidecar"
)

// passes bounds how often it is looked again: the engine may keep layers of a removed image as build cache, which is then older than what was to stay.
const passes = 30

// clearing is the state of one Clear.
type clearing struct {
	engine    Engine
	checkouts Checkouts
	tell      func(Item)
	kept      map[string]bool // what could not be removed, by its name
	left      []string        // what that was where it is not in use
	errs      []error
}

// Clear removes what Choose says, and looks again, until at most keep bytes are left or nothing more can go. tell hears of each item that went. What is in use stays. It returns what is
// left, and the error is a *sidecar.LeakError for what could not be removed, the context's cause, or the engine's.
func Clear(ctx context.Context, e Engine, c Checkouts, keep int64, tell func(Item)) (left Sizes, err error) {
	w := &clearing{engine: e, checkouts: c, tell: tell, kept: map[string]bool{}}
	for n := 0; ; n++ {
		s, err := Look(ctx, e, c)
		if err != nil {
			return left, err
		}
		w.mark(s)
		left = s.Sizes()
		if n == passes || keep > 0 && left.Sum() <= keep || !w.pass(ctx, s, keep) {
			return left, w.outcome(ctx)
		}
	}
}

// Preview is what Clear would begin with, and what would be left then. It removes nothing.
func Preview(ctx context.Context, e Engine, c Checkouts, keep int64) (items []Item, left Sizes, err error) {
	s, err := Look(ctx, e, c)
	if err != nil {
		return nil, left, err
	}
	items, left = Choose(s, keep), s.Sizes()
	for _, i := range items {
		switch i.Kind {
		case KindImage:
			left.Images -= i.Bytes
		case KindBuilds:
			left.Builds -= i.Bytes
		case KindCheckout:
			left.Checkouts -= i.Bytes
		}
	}
	return items, left, nil
}

// outcome is why not all went that was to go.
func (w *clearing) outcome(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case len(w.errs) > 0:
		return &sidecar.LeakError{Left: w.left, Cause: errors.Join(w.errs...)}
	}
	return nil
}

// mark says of what could not be removed that it is in use.
func (w *clearing) mark(s *Stock) {
	for i := range s.Images {
		s.Images[i].InUse = s.Images[i].InUse || w.kept[s.Images[i].Tags[0]]
	}
	for i := range s.Builds {
		s.Builds[i].InUse = s.Builds[i].InUse || w.kept[builds]
	}
	for i := range s.Checkouts {
		s.Checkouts[i].InUse = s.Checkouts[i].InUse || w.kept[s.Checkouts[i].Dir]
	}
}

// pass removes what is chosen, and says whether another pass may come to more: something went, or could not, so that something else has to.
func (w *clearing) pass(ctx context.Context, s *Stock, keep int64) (more bool) {
	for _, i := range Choose(s, keep) {
		if ctx.Err() != nil {
			return false
		}
		gone, err := w.remove(ctx, &i, s, keep)
		if more = true; gone {
			w.tell(i)
			continue
		}
		w.kept[i.Name] = true
		if err != nil {
			w.errs = append(w.errs, err)
			w.left = append(w.left, i.String())
		}
	}
	return more
}

// remove removes an item, unless it is in use.
func (w *clearing) remove(ctx context.Context, i *Item, s *Stock, keep int64) (gone bool, err error) {
	switch i.Kind {
	case KindBuilds:
		most := s.Sizes().Builds - i.Bytes
		if keep == 0 {
			most = 0
		}
		i.Bytes, err = w.engine.PruneBuilds(ctx, most)
		return i.Bytes > 0, err
	case KindCheckout:
		kept, err := w.checkouts.Remove(i.commit)
		return !kept, err
	case KindImage:
	}
	done, err := images.Claim(i.image.Digest)
	if done == nil {
		return false, err
	}
	kept, err := w.engine.RemoveImage(ctx, i.image.Tags)
	done(err == nil && !kept)
	return err == nil && !kept, err
}
