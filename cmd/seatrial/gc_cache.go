package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"

	"github.com/seatrial/seatrial/orchestrator/cache"
	"github.com/seatrial/seatrial/sidecar"
	"github.com/seatrial/seatrial/task/checkout"
)

// gcCacheLimit bounds the removal of caches: an engine may have much to remove.
const gcCacheLimit = time.Hour

// cacheFlags say what is to be left of caches.
type cacheFlags struct {
	cache bool
	keep  size
}

func (f *cacheFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.cache, "cache", false, "instead, remove what runs have left to be faster next time, least recently used first: images that seatrial made, the engine's build cache, and\nrepositories; what is in use stays, and so does every image that has a name of yours")
	c.Flags().Var(&f.keep, "keep-bytes", "with --cache, remove no more than needed so that this is left, as in 20GiB (default: remove all that is not in use)")
}

// check refuses flags that do not go together.
func (f *cacheFlags) check(c *cobra.Command) error {
	if !f.cache && c.Flags().Changed("keep-bytes") {
		return usage("--keep-bytes goes with --cache")
	}
	for _, name := range []string{"kept", "foreign", "trial", "run"} {
		if f.cache && c.Flags().Changed(name) {
			return usage("--cache is for what no run owns; --%s is for runs", name)
		}
	}
	return nil
}

func (a *app) gcCache(ctx context.Context, e *sidecar.Engine, f *cacheFlags, dry bool) error {
	ctx, cancel := context.WithTimeout(ctx, gcCacheLimit)
	defer cancel()
	checkouts, err := a.checkouts()
	if err != nil {
		return err
	}
	some := false
	tell := func(word string) func(cache.Item) {
		return func(i cache.Item) {
			some = true
			fmt.Fprintf(a.out, "%s %s, %s, last used %s\n", word, i, inBytes(i.Bytes), i.Used.Local().Format("2006-01-02 15:04"))
		}
	}
	var left cache.Sizes
	if dry {
		var items []cache.Item
		if items, left, err = cache.Preview(ctx, e, checkouts, int64(f.keep)); err == nil {
			for _, i := range items {
				tell("would remove")(i)
			}
		}
	} else {
		left, err = cache.Clear(ctx, e, checkouts, int64(f.keep), tell("removed"))
	}
	var leak *sidecar.LeakError
	if err != nil && !errors.As(err, &leak) {
		return err
	}
	if !some && err == nil {
		fmt.Fprintln(a.out, "nothing to remove")
	}
	more := ""
	if f.keep > 0 && left.Sum() > int64(f.keep) {
		more = "; that is more than " + f.keep.String() + ", and in use"
		if err != nil {
			more = "; that is more than " + f.keep.String()
		}
	}
	fmt.Fprintf(a.out, "left: %s (images %s, build cache %s, repositories %s)%s\n", inBytes(left.Sum()), inBytes(left.Images), inBytes(left.Builds), inBytes(left.Checkouts), more)
	return a.leaked(err)
}

// checkouts are the repositories in the cache; nil where there is no place for one.
func (a *app) checkouts() (cache.Checkouts, error) {
	store, err := checkout.Open(a.lookup)
	var none *checkout.NoCacheError
	if errors.As(err, &none) {
		return nil, nil //nolint:nilnil // there is none, which is no fault
	}
	return store, err
}

func inBytes(n int64) string { return units.BytesSize(float64(n)) }
